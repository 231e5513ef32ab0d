# weir_generate_messages(): protocol/schemas -> C++ in ${CMAKE_BINARY_DIR}/generated, during the build.
# Sets WEIR_GENERATED_DIR and the list WEIR_GENERATED_MESSAGES in the caller; with WEIR_TESTS also
# WEIR_GENERATED_TESTS_DIR and WEIR_GENERATED_TESTS (sources of the test program).
function(weir_generate_messages)
  set(schemas "${CMAKE_SOURCE_DIR}/protocol/schemas")
  set(generator "${CMAKE_SOURCE_DIR}/protocol/generator")
  file(GLOB inputs CONFIGURE_DEPENDS "${schemas}/*.json" "${schemas}/records/*.json" "${generator}/*.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs})
  weir_generate_kind(code --out generated WEIR_GENERATED_MESSAGES)
  set(WEIR_GENERATED_MESSAGES "${WEIR_GENERATED_MESSAGES}" PARENT_SCOPE)
  set(WEIR_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated" PARENT_SCOPE)
  if(WEIR_TESTS)
    weir_generate_kind(tests --tests generated_tests WEIR_GENERATED_TESTS)
    set(WEIR_GENERATED_TESTS "${WEIR_GENERATED_TESTS}" PARENT_SCOPE)
    set(WEIR_GENERATED_TESTS_DIR "${CMAKE_BINARY_DIR}/generated_tests" PARENT_SCOPE)
  endif()
endfunction()

# Part of the above: one kind of output, one command. Uses schemas, generator and inputs of its caller.
function(weir_generate_kind kind option folder result)
  set(run "${Python3_EXECUTABLE}" -B "${generator}/generate.py" --schemas "${schemas}")
  execute_process(COMMAND ${run} --list ${kind} OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  list(TRANSFORM names PREPEND "${CMAKE_BINARY_DIR}/${folder}/" OUTPUT_VARIABLE outputs)
  if(outputs)
    add_custom_command(OUTPUT ${outputs} COMMAND ${run} ${option} "${CMAKE_BINARY_DIR}/${folder}"
      DEPENDS ${inputs} COMMENT "Generating messages (${kind})" VERBATIM)
  endif()
  set(${result} "${outputs}" PARENT_SCOPE)
endfunction()
