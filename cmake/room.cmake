# WEIR_UNITY compiles several sources of a room together: half the time of a clean build, since the big headers are read
# once for all of them. Sources of one room therefore do not repeat names in their anonymous namespaces.
function(weir_unite target)
  if(WEIR_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# weir_room(NAME [USES room...] [LIBRARIES target...])
# A room is one static library of every .cpp in its folder (tests excepted) that links the rooms it may use. All
# includes are written from the root of the tree: #include "group/member.hpp".
function(weir_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  foreach(excluded ${ROOM_EXCLUDE})
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${excluded}")
  endforeach()
  list(TRANSFORM ROOM_USES PREPEND weir_)
  if(sources)
    add_library(weir_${name} STATIC ${sources})
    weir_unite(weir_${name})
    set(scope PUBLIC)
  else()
    add_library(weir_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(weir_${name} ${scope} weir_options ${ROOM_USES} ${ROOM_LIBRARIES})
endfunction()

# weir_lightly_optimised(TARGET)
# For what is far from the heartbeat path and full of templates: a release build of it takes a third less time.
function(weir_lightly_optimised target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# weir_unit_tests(ROOM [LIBRARIES target...] [HEADERS file...])
# One test program, weir_<room>_tests, of every tests/unit/<room>/*_test.cpp. GoogleTest and HEADERS, of that folder, are
# read once for all of them: half the time.
function(weir_unit_tests room)
  cmake_parse_arguments(UNIT "" "" "LIBRARIES;HEADERS" ${ARGN})
  list(TRANSFORM UNIT_HEADERS PREPEND "${CMAKE_SOURCE_DIR}/tests/unit/${room}/")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/unit/${room}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(weir_${room}_tests ${sources})
  target_compile_options(weir_${room}_tests PRIVATE -O0)  # the tests only drive the rooms, and compile in half the time
  target_link_libraries(weir_${room}_tests PRIVATE weir_${room} weir_test_support ${UNIT_LIBRARIES}
    GTest::gmock GTest::gtest_main)
  target_precompile_headers(weir_${room}_tests PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${UNIT_HEADERS})
  add_test(NAME unit.${room} COMMAND weir_${room}_tests --gtest_brief=1)
endfunction()
