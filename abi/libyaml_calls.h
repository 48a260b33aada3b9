/* libttsim.so needs the C library alone: libyaml, which reads topologies from files, is loaded when BHEMU_SYSTEM names
   one. This header is included in front of src/host/schema.c there (CMakeLists.txt), so that its calls go through
   pointers that libyaml_load() sets. */
#ifndef BHEMU_ABI_LIBYAML_CALLS_H
#define BHEMU_ABI_LIBYAML_CALLS_H

#include <yaml.h>

#define LIBYAML_CALLS(CALL)                                                                                            \
    CALL(yaml_document_delete)                                                                                         \
    CALL(yaml_document_get_node)                                                                                       \
    CALL(yaml_document_get_root_node)                                                                                  \
    CALL(yaml_event_delete)                                                                                            \
    CALL(yaml_parser_delete)                                                                                           \
    CALL(yaml_parser_initialize)                                                                                       \
    CALL(yaml_parser_load)                                                                                             \
    CALL(yaml_parser_parse)                                                                                            \
    CALL(yaml_parser_set_input_string)

struct libyaml_calls {
#define CALL(name) __typeof__(name) *name##_;
    LIBYAML_CALLS(CALL)
#undef CALL
};
extern struct libyaml_calls libyaml_calls;

/* Null, or why it can not be loaded. */
const char *libyaml_load(void);

#ifndef BHEMU_ABI_LIBRARY_LOADER
#define yaml_document_delete libyaml_calls.yaml_document_delete_
#define yaml_document_get_node libyaml_calls.yaml_document_get_node_
#define yaml_document_get_root_node libyaml_calls.yaml_document_get_root_node_
#define yaml_event_delete libyaml_calls.yaml_event_delete_
#define yaml_parser_delete libyaml_calls.yaml_parser_delete_
#define yaml_parser_initialize libyaml_calls.yaml_parser_initialize_
#define yaml_parser_load libyaml_calls.yaml_parser_load_
#define yaml_parser_parse libyaml_calls.yaml_parser_parse_
#define yaml_parser_set_input_string libyaml_calls.yaml_parser_set_input_string_
#endif

#endif
