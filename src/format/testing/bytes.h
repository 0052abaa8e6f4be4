#pragma once

#include "base/testing/bytes.h"
