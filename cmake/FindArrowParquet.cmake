# Finds the C++ libraries of Apache Arrow and Parquet and gives ArrowParquet::parquet. In this order:
#   1. with -DPYARROW_DIR=DIR: the folder "pyarrow" of an unpacked wheel of that name, which holds headers and libraries
#   2. the CMake packages Arrow and Parquet, of a distribution or of one's own making
#   3. the wheel that tools/setup.sh has installed
#   4. the wheel that the python3 of this machine has
set(PYARROW_DIR "" CACHE PATH "the folder pyarrow of an unpacked wheel")

# ArrowParquet_VERSION of the wheel in a folder; empty where it is none.
function(arrow_wheel_version folder)
  set(ArrowParquet_VERSION "" PARENT_SCOPE)
  set(config ${folder}/include/arrow/util/config.h)
  if(EXISTS ${config} AND EXISTS ${folder}/include/parquet/file_writer.h)
    file(STRINGS ${config} line REGEX "#define ARROW_VERSION_STRING ")
    string(REGEX MATCH "[0-9][0-9.]*" version "${line}")
    set(ArrowParquet_VERSION "${version}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT TARGET ArrowParquet::parquet AND NOT PYARROW_DIR)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
endif()

set(ArrowParquet_WHEEL "")
if(TARGET Parquet::parquet_shared OR TARGET Parquet::parquet_static)
  set(ArrowParquet_VERSION ${Arrow_VERSION})
  set(ArrowParquet_PLACE "the CMake package in ${Parquet_DIR}")
elseif(PYARROW_DIR)
  arrow_wheel_version(${PYARROW_DIR})
  set(ArrowParquet_WHEEL ${PYARROW_DIR})
else()
  set(arrow_cache "$ENV{XDG_CACHE_HOME}")
  if(NOT arrow_cache)
    set(arrow_cache "$ENV{HOME}/.cache")
  endif()
  file(GLOB arrow_wheels "${arrow_cache}/lakestream/pyarrow-*[0-9]/lib/python3*/site-packages/pyarrow")
  list(FILTER arrow_wheels EXCLUDE REGEX "[.]part[0-9]+/")
  list(SORT arrow_wheels COMPARE NATURAL ORDER DESCENDING)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(Python3_FOUND AND NOT arrow_wheels)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
        "import importlib.util as u; print(u.find_spec('pyarrow').submodule_search_locations[0])"
      OUTPUT_VARIABLE arrow_wheels OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(arrow_wheels)
    list(GET arrow_wheels 0 ArrowParquet_WHEEL)
    arrow_wheel_version(${ArrowParquet_WHEEL})
  endif()
endif()

if(ArrowParquet_WHEEL)
  set(ArrowParquet_PLACE ${ArrowParquet_WHEEL})
  # A wheel has neither unversioned names nor a CMake package.
  foreach(library arrow parquet)
    file(GLOB ArrowParquet_${library} "${ArrowParquet_WHEEL}/lib${library}.so.[0-9]*")
    list(LENGTH ArrowParquet_${library} count)
    if(NOT count EQUAL 1)
      set(ArrowParquet_VERSION "")
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowParquet REQUIRED_VARS ArrowParquet_PLACE VERSION_VAR ArrowParquet_VERSION
  REASON_FAILURE_MESSAGE "Run tools/setup.sh run, or install libarrow-dev and libparquet-dev of Apache's own packages, \
or the wheel pyarrow with pip, or name the folder of an unpacked wheel with -DPYARROW_DIR=DIR.")

if(ArrowParquet_FOUND AND NOT TARGET ArrowParquet::parquet)
  add_library(ArrowParquet::parquet INTERFACE IMPORTED)
  if(TARGET Parquet::parquet_shared)
    target_link_libraries(ArrowParquet::parquet INTERFACE Parquet::parquet_shared)
  elseif(TARGET Parquet::parquet_static)
    target_link_libraries(ArrowParquet::parquet INTERFACE Parquet::parquet_static)
  else()
    foreach(library arrow parquet)
      cmake_path(GET ArrowParquet_${library} FILENAME name)
      add_library(ArrowParquet::wheel_${library} SHARED IMPORTED)
      set_target_properties(ArrowParquet::wheel_${library} PROPERTIES
        IMPORTED_LOCATION ${ArrowParquet_${library}} IMPORTED_SONAME ${name}
        INTERFACE_INCLUDE_DIRECTORIES ${ArrowParquet_WHEEL}/include)
    endforeach()
    target_link_libraries(ArrowParquet::parquet INTERFACE ArrowParquet::wheel_parquet ArrowParquet::wheel_arrow)
  endif()
endif()
