# Run at every build: cmake -DSOURCE=DIR -DOUTPUT=FILE -P WriteRevision.cmake. Writes what git calls this source, or
# "unknown" outside of git, into a header; an unchanged one keeps its time.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE revision ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed OR revision STREQUAL "")
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define LAKESTREAM_REVISION \"${revision}\"\n")
