#!/usr/bin/env python3
"""Draws what days in the simulator take and need: plot_space.py OUT.svg FILE...

Each FILE is what `lakestream-sim --scenario NAME --seed N --space FILE` has written, and becomes a column named after it:
above, bytes stored and live; below, stored over live. What was written after a log had been isolated, where one was, gets
lines of its own. docs/gc.md shows the drawing.
"""

import csv
import pathlib
import sys

WIDTH, TOP, BYTES_HEIGHT, RATIO_HEIGHT, GAP, LEFT, RIGHT = 420, 56, 150, 190, 46, 52, 14
COLUMN = LEFT + WIDTH + RIGHT
LEGEND_LINE = 18
DAY = 24 * 60
MIB = 1 << 20
DEMANDED = 1.2
RATIO_LOW, RATIO_HIGH = 1.0, 2.0
STORED, LIVE, ALL, AFTER, AXIS, GRID = '#b45309', '#15803d', '#6b7280', '#1d4ed8', '#374151', '#e5e7eb'


def read_day(path):
    with open(path, encoding='utf-8', newline='') as stream:
        return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(stream)]


def text(x, y, words, anchor='start', color=AXIS, size=12, weight='normal'):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-size="{size}" '
            f'font-weight="{weight}">{words}</text>')


def line(x1, y1, x2, y2, color=GRID, dashes=''):
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ''
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"{dashed}/>'


def curve(points, color, width=2.0):
    path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>'


class Panel:
    """One pair of axes; time goes from 0 to a day."""

    def __init__(self, left, top, height, low, high):
        self.left, self.top, self.height, self.low, self.high = left, top, height, low, high

    def x(self, minutes):
        return self.left + WIDTH * minutes / DAY

    def y(self, value):
        return self.top + self.height * (1 - (value - self.low) / (self.high - self.low))

    def axes(self, ticks, form, name):
        bottom = self.top + self.height
        yield (f'<rect x="{self.x(DAY * 3 / 4):.1f}" y="{self.top}" width="{WIDTH / 4}" height="{self.height}" '
               'fill="#f3f4f6"/>')
        for tick in ticks:
            yield line(self.left, self.y(tick), self.left + WIDTH, self.y(tick))
            yield text(self.left - 6, self.y(tick) + 4, form.format(tick), 'end', size=11)
        for hour in range(0, 25, 4):
            yield line(self.x(hour * 60), bottom, self.x(hour * 60), bottom + 4, AXIS)
            yield text(self.x(hour * 60), bottom + 17, f'{hour} h', 'middle', size=11)
        yield line(self.left, bottom, self.left + WIDTH, bottom, AXIS)
        yield text(self.left, self.top - 8, name, size=12)

    def curve(self, points, color):
        """What lies above the panel is left out: at first next to nothing is live."""
        return curve([(self.x(m), self.y(value)) for m, value in points if value <= self.high], color)


def ratio(rows, suffix=''):
    return [(row['minutes'], row['stored' + suffix] / row['live' + suffix]) for row in rows if row['live' + suffix] > 0]


def bytes_ticks(most):
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if most / s <= 5)
    return [step * i for i in range(int(most / step) + 2)]


def draw_day(number, path):
    rows = read_day(path)
    left = LEFT + number * COLUMN
    after = '_after_isolation'
    isolated = next((row['minutes'] for row in rows if row['stored' + after] > 0), None)
    yield text(left, 22, pathlib.Path(path).stem.replace('_', ' '), size=15, weight='bold')
    ticks = bytes_ticks(max(row['stored'] for row in rows) / MIB)
    above = Panel(left, TOP, BYTES_HEIGHT, 0, ticks[-1])
    yield from above.axes(ticks, '{}', 'MiB')
    yield above.curve([(row['minutes'], row['stored'] / MIB) for row in rows], STORED)
    yield above.curve([(row['minutes'], row['live'] / MIB) for row in rows], LIVE)
    below = Panel(left, TOP + BYTES_HEIGHT + GAP, RATIO_HEIGHT, RATIO_LOW, RATIO_HIGH)
    yield from below.axes([1.0, 1.2, 1.4, 1.6, 1.8, 2.0], '{:.1f}', 'stored / live')
    yield line(left, below.y(DEMANDED), left + WIDTH, below.y(DEMANDED), '#b91c1c', '5 4')
    yield below.curve(ratio(rows), ALL if isolated else AFTER)
    if isolated:
        yield below.curve(ratio(rows, after), AFTER)
        yield line(below.x(isolated), TOP, below.x(isolated), below.top + RATIO_HEIGHT, ALL, '2 3')
        yield text(below.x(isolated) + 4, TOP + 12, 'isolated', size=11)
    y = below.top + RATIO_HEIGHT + 40
    legend = [(STORED, 'stored'), (LIVE, 'live'), (AFTER, 'stored / live')]
    if isolated:
        legend[2:] = [(ALL, 'stored / live'), (AFTER, 'of what was written afterwards')]
    x = left
    for color, words in legend:
        yield line(x, y - 4, x + 16, y - 4, color)
        yield text(x + 20, y, words, size=11)
        x += 34 + 5.8 * len(words)


def draw(paths):
    width = COLUMN * len(paths)
    height = TOP + BYTES_HEIGHT + GAP + RATIO_HEIGHT + 40 + LEGEND_LINE
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif">')
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    for number, path in enumerate(paths):
        yield from draw_day(number, path)
    yield '</svg>'


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text('\n'.join(draw(sys.argv[2:])) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
