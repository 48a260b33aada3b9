#include "tensix/num/formats.h"

const char *format_name(enum data_format format)
{
    static const char *const names[FORMATS] = {
        [FORMAT_FP32] = "FP32",   [FORMAT_FP16] = "FP16",   [FORMAT_BFP8A] = "BFP8a", [FORMAT_BFP4A] = "BFP4a",
        [FORMAT_TF32] = "TF32",   [FORMAT_BF16] = "BF16",   [FORMAT_BFP8] = "BFP8",   [FORMAT_BFP4] = "BFP4",
        [FORMAT_INT32] = "INT32", [FORMAT_INT16] = "INT16", [FORMAT_FP8] = "FP8",     [FORMAT_BFP2A] = "BFP2a",
        [FORMAT_INT8] = "INT8",   [FORMAT_BFP2] = "BFP2",
    };
    return (unsigned)format < FORMATS && names[format] ? names[format] : "reserved";
}
