# weir_generate_messages(KIND RESULT): protocol/schemas -> C++, during the build, in ${CMAKE_BINARY_DIR}/generated.
# KIND is code (protocol/messages/*.hpp and their sources) or tests (how the test program gets at every message).
# RESULT becomes the list of files; the target that compiles them must be in the calling directory.
function(weir_generate_messages kind result)
  set(schemas "${CMAKE_SOURCE_DIR}/protocol/schemas")
  set(generator "${CMAKE_SOURCE_DIR}/protocol/generator")
  set(folder "${CMAKE_BINARY_DIR}/generated")
  file(GLOB inputs CONFIGURE_DEPENDS "${schemas}/*.json" "${schemas}/records/*.json" "${generator}/*.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs})
  set(run "${Python3_EXECUTABLE}" -B "${generator}/generate.py" "${kind}" --schemas "${schemas}" --out "${folder}")
  execute_process(COMMAND ${run} --list OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  list(TRANSFORM names PREPEND "${folder}/" OUTPUT_VARIABLE outputs)
  add_custom_command(OUTPUT ${outputs} COMMAND ${run} DEPENDS ${inputs} COMMENT "Generating messages: ${kind}" VERBATIM)
  set(${result} "${outputs}" PARENT_SCOPE)
endfunction()
