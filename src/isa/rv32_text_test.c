/* The RISC-V table and disassembler. The expected texts are GNU objdump's (binutils 2.40, -M no-aliases) for the same
   words at address 0x1000, but for the 0x before targets of jumps; `.ttinsn`, grevi, CSRs of Tenstorrent's own and
   vector instructions, which it does not know, are from the documentation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv32_isa.h"
#include "isa/rv32_text.h"
#include "util/bits.h"

static const struct {
    uint32_t word;
    const char *text;
} texts[] = {
    {0xe4078e53, "fmv.x.h t3,fa5"},
    {0x01f81313, "slli t1,a6,0x1f"},
    {0xbb342803, "lw a6,-1101(s0)"},
    {0x698ed893, "rev8 a7,t4"},
    {0xc8f00267, "jalr tp,-881(zero)"},
    {0x29998853, "fmin.s fa6,fs3,fs9"},
    {0x401ce2b3, "orn t0,s9,ra"},
    {0x6413a8af, "amoand.w.aq a7,ra,(t2)"},
    {0x250c91d3, "fsgnjn.h ft3,fs9,fa6"},
    {0x2cfc9ad3, "fmax.h fs5,fs9,fa5"},
    {0x00000073, "ecall"},
    {0x4071c333, "xnor t1,gp,t2"},
    {0x037aa833, "mulhsu a6,s5,s7"},
    {0x4453a0af, "amoor.w.aq ra,t0,(t2)"},
    {0xe4031153, "fclass.h sp,ft6"},
    {0x687a5a13, "brev8 s4,s4"},
    {0x00100073, "ebreak"},
    {0xa06d8bd3, "fle.s s7,fs11,ft6"},
    {0xa4e56913, "ori s2,a0,-1458"},
    {0x20aa7d97, "auipc s11,0x20aa7"},
    {0x40815813, "srai a6,sp,0x8"},
    {0x833a2baf, "amomin.w.rl s7,s3,(s4)"},
    {0xd0084753, "fcvt.s.w fa4,a6,rmm"},
    {0x0b0fccb3, "min s9,t6,a6"},
    {0xa1b51e53, "flt.s t3,fa0,fs11"},
    {0x05fdc3d3, "fadd.h ft7,fs11,ft11,rmm"},
    {0xa16ea587, "flw fa1,-1514(t4)"},
    {0x10929753, "fmul.s fa4,ft5,fs1,rtz"},
    {0x208b9253, "fsgnjn.s ft4,fs7,fs0"},
    {0x094e5b47, "fmsub.s fs6,ft8,fs4,ft1,unknown"},
    {0x55bea593, "slti a1,t4,1371"},
    {0x0a5befb3, "max t6,s7,t0"},
    {0x61655213, "rori tp,a0,0x16"},
    {0xa0870f63, "beq a4,s0,0x21e"},
    {0x159fdb53, "fmul.h fs6,ft11,fs9,unknown"},
    {0x60271f93, "cpop t6,a4"},
    {0x2193c843, "fmadd.s fa6,ft7,fs9,ft4,rmm"},
    {0xb292f513, "andi a0,t0,-1239"},
    {0xc41c83d3, "fcvt.wu.h t2,fs9,rne"},
    {0x601c1513, "ctz a0,s8"},
    {0x03a9b833, "mulhu a6,s3,s10"},
    {0x200cabb3, "sh1add s7,s9,zero"},
    {0xe00c14d3, "fclass.s s1,fs8"},
    {0xcb084563, "blt a6,a6,0x4aa"},
    {0x60591393, "sext.h t2,s2"},
    {0x00e60433, "add s0,a2,a4"},
    {0xa050a62f, "amomax.w a2,t0,(ra)"},
    {0x010d3633, "sltu a2,s10,a6"},
    {0x09e0e853, "fsub.s fa6,ft1,ft10,unknown"},
    {0x03caab2f, "amoadd.w.rl s6,t3,(s5)"},
    {0xa90d69e3, "bltu s10,a6,0xa92"},
    {0x202a4eb3, "sh2add t4,s4,sp"},
    {0x0ce8ab53, "fsub.h fs6,fa7,fa4,rdn"},
    {0x0192ebb3, "or s7,t0,s9"},
    {0x0b185633, "minu a2,a6,a7"},
    {0x308a1f4b, "fnmsub.s ft10,fs4,fs0,ft6,rtz"},
    {0x0388f133, "remu sp,a7,s8"},
    {0xc06e22af, "amominu.w t0,t1,(t3)"},
    {0x298f1ed3, "fmax.s ft9,ft10,fs8"},
    {0x5baedee3, "bge t4,s10,0x1dbc"},
    {0x19bcaeef, "jal t4,0xcb99a"},
    {0x604e1013, "sext.b zero,t3"},
    {0x410177b3, "andn a5,sp,a6"},
    {0x30200073, "mret"},
    {0x844ea1cb, "fnmsub.h ft3,ft9,ft4,fa6,rdn"},
    {0x02e763b3, "rem t2,a4,a4"},
    {0xa11228d3, "feq.s a7,ft4,fa7"},
    {0x438f232f, "amoor.w.rl t1,s8,(t5)"},
    {0xf4090dd3, "fmv.h.x fs11,s2"},
    {0x009df3b3, "and t2,s11,s1"},
    {0x094f282f, "amoswap.w a6,s4,(t5)"},
    {0x2b5d5603, "lhu a2,693(s10)"},
    {0x0ac57a33, "maxu s4,a0,a2"},
    {0xa4802e2f, "amomax.w.aq t3,s0,(zero)"},
    {0x06c4cb83, "lbu s7,108(s1)"},
    {0xd0142553, "fcvt.s.wu fa0,s0,rdn"},
    {0xf0020fd3, "fmv.w.x ft11,tp"},
    {0x62f6b113, "sltiu sp,a3,1583"},
    {0xc4009b53, "fcvt.w.h s6,ft1,rtz"},
    {0x60ec12b3, "rol t0,s8,a4"},
    {0xa532a553, "feq.h a0,ft5,fs3"},
    {0x600b5e33, "ror t3,s6,zero"},
    {0x03e81c33, "mulh s8,a6,t5"},
    {0xa4c61ed3, "flt.h t4,fa2,fa2"},
    {0xc01180d3, "fcvt.wu.s ra,ft3,rne"},
    {0x1e2fc213, "xori tp,t6,482"},
    {0xc02b0793, "addi a5,s6,-1022"},
    {0x40841f03, "lh t5,1032(s0)"},
    {0x6e759aa7, "fsh ft7,1781(a1)"},
    {0x50aa2acf, "fnmadd.s fs5,fs4,fa0,fa0,rdn"},
    {0x21bc2f53, "fsgnjx.s ft10,fs8,fs11"},
    {0x065a2baf, "amoadd.w.aqrl s7,t0,(s4)"},
    {0x0740000f, "fence orw,o"},
    {0x2058e833, "sh3add a6,a7,t0"},
    {0xe0070b53, "fmv.x.w s6,fa4"},
    {0xf5e0d04f, "fnmadd.h ft0,ft1,ft10,ft10,unknown"},
    {0xaad50e03, "lb t3,-1363(a0)"},
    {0xe2748937, "lui s2,0xe2748"},
    {0x53451f07, "flh ft10,1332(a0)"},
    {0xd4002453, "fcvt.h.w fs0,zero,rdn"},
    {0x24ad08d3, "fsgnj.h fa7,fs10,fa0"},
    {0x10a513e3, "bne a0,a0,0x1906"},
    {0x785179e3, "bgeu sp,t0,0x1f92"},
    {0x60059713, "clz a4,a1"},
    {0xe5a3aeaf, "amomaxu.w.aq t4,s10,(t2)"},
    {0x41c551b3, "sra gp,a0,t3"},
    {0x875823af, "amomin.w.aqrl t2,s5,(a6)"},
    {0x01a277d3, "fadd.s fa5,ft4,fs10"},
    {0x4138262f, "amoor.w a2,s3,(a6)"},
    {0x287bda93, "orc.b s5,s7"},
    {0x032953b3, "divu t2,s2,s2"},
    {0x24322b53, "fsgnjx.h fs6,ft4,ft3"},
    {0xa1e9ada3, "sw t5,-1509(s3)"},
    {0xb9ba28a7, "fsw fs11,-1135(s4)"},
    {0xd4117cd3, "fcvt.h.wu fs9,sp"},
    {0x0efeaa2f, "amoswap.w.aqrl s4,a5,(t4)"},
    {0x6777a72f, "amoand.w.aqrl a4,s7,(a5)"},
    {0x539203a3, "sb s9,1319(tp)"},
    {0x255a1f47, "fmsub.h ft10,fs4,fs5,ft4,rtz"},
    {0xaf721da3, "sh s7,-1285(tp)"},
    {0x002ac633, "xor a2,s5,sp"},
    {0x031aca33, "div s4,s5,a7"},
    {0x019895b3, "sll a1,a7,s9"},
    {0xa4da8253, "fle.h tp,fs5,fa3"},
    {0xc00d4b53, "fcvt.w.s s6,fs10,rmm"},
    {0x009cd7b3, "srl a5,s9,s1"},
    {0x440cc4d3, "fcvt.h.s fs1,fs9,rmm"},
    {0x0169d113, "srli sp,s3,0x16"},
    {0x047f21af, "amoadd.w.aq gp,t2,(t5)"},
    {0x20d782d3, "fsgnj.s ft5,fa5,fa3"},
    {0x03e386b3, "mul a3,t2,t5"},
    {0x0941c5b3, "pack a1,gp,s4"},
    {0xe22c282f, "amomaxu.w.rl a6,sp,(s8)"},
    {0x0859f373, "csrrci t1,0x85,19"},
    {0x80c8a8af, "amomin.w a7,a2,(a7)"},
    {0xa2f9a92f, "amomax.w.rl s2,a5,(s3)"},
    {0x080acc33, "zext.h s8,s5"},
    {0x40ca02b3, "sub t0,s4,a2"},
    {0x630c2f2f, "amoand.w.rl t5,a6,(s8)"},
    {0x603e2d2f, "amoand.w s10,gp,(t3)"},
    {0xe054a5af, "amomaxu.w a1,t0,(s1)"},
    {0x0d45212f, "amoswap.w.aq sp,s4,(a0)"},
    {0x22a022af, "amoxor.w.rl t0,a0,(zero)"},
    {0x843723af, "amomin.w.aq t2,gp,(a4)"},
    {0x2c308bd3, "fmin.h fs7,ft1,ft3"},
    {0x4d1d54c3, "fmadd.h fs1,fs10,fa7,fs1,unknown"},
    {0xa77e242f, "amomax.w.aqrl s0,s7,(t3)"},
    {0xc4a0abaf, "amominu.w.aq s7,a0,(ra)"},
    {0xe67fa3af, "amomaxu.w.aqrl t2,t2,(t6)"},
    {0x26ffa52f, "amoxor.w.aqrl a0,a5,(t6)"},
    {0x0017a4af, "amoadd.w s1,ra,(a5)"},
    {0xc75ba12f, "amominu.w.aqrl sp,s5,(s7)"},
    {0x0a0a2b2f, "amoswap.w.rl s6,zero,(s4)"},
    {0x46472f2f, "amoor.w.aqrl t5,tp,(a4)"},
    {0x00c729b3, "slt s3,a4,a2"},
    {0x04936ef3, "csrrsi t4,0x49,6"},
    {0x24922baf, "amoxor.w.aq s7,s1,(tp)"},
    {0xc2f6a72f, "amominu.w.rl a4,a5,(a3)"},
    {0x20c12baf, "amoxor.w s7,a2,(sp)"},
    {0x0330000f, "fence rw,rw"},
    {0x8330000f, "fence.tso"},
    {0x0ff0000f, "fence iorw,iorw"},
    {0x0100000f, "fence w,unknown"},
    {0x44000008, ".ttinsn 0x11000002"},
    {0x69fddf13, "grevi t5,s11,0x1f"},
    {0xbc099473, "csrrw s0,tt_cfg_qstatus,s3"},
    {0x7c043073, "csrrc zero,cfg0,s0"},
    {0x7c01e073, "csrrsi zero,cfg0,3"},
    {0xb0281573, "csrrw a0,minstret,a6"},
    {0x30502573, "csrrs a0,0x305,zero"},
    {0x0d007057, "vsetvli zero,zero,e32,m1,ta,ma"},
    {0xffffffff, ".word 0xffffffff"},
    {0x1005a52f, ".word 0x1005a52f"}, /* lr.w */
};

static void instructions_are_written_as_the_assembler_writes_them(void **state)
{
    (void)state;
    char text[80];
    for (unsigned i = 0; i < COUNT_OF(texts); i++) {
        int length = rv32_disassemble(texts[i].word, 0x1000, text, sizeof text);
        assert_string_equal(text, texts[i].text);
        assert_int_equal(length, strlen(text));
    }
}

static void a_short_buffer_is_not_overrun(void **state)
{
    (void)state;
    char text[8] = "abcdefg";
    assert_int_equal(rv32_disassemble(0x00b50533, 0, text, 6), 12);
    assert_string_equal(text, "add a");
    assert_int_equal(text[6], 'g');
    assert_int_equal(rv32_disassemble(0x00b50533, 0, NULL, 0), 12);
}

static void every_table_line_is_identified_as_itself(void **state)
{
    (void)state;
    for (enum rv32_op op = RV32_OP_NONE + 1; op < RV32_OP_TTINSN; op++) {
        uint32_t rs2 = 9u << 20 & ~rv32_instructions[op].mask; /* zext.h is pack with rs2 = x0 */
        assert_int_equal(rv32_identify(rv32_instructions[op].match | rs2), op);
        assert_int_equal(rv32_instructions[op].match & ~rv32_instructions[op].mask, 0);
        assert_int_equal(rv32_instructions[op].match & 3, 3);
    }
}

/* Of two lines that match the same word, the earlier one must be the narrower: else the later one could not be told. */
static void overlaps_are_special_cases_listed_first(void **state)
{
    (void)state;
    for (enum rv32_op a = RV32_OP_NONE + 1; a < RV32_OP_TTINSN; a++) {
        for (enum rv32_op b = a + 1; b < RV32_OP_TTINSN; b++) {
            const struct rv32_instruction *first = &rv32_instructions[a], *second = &rv32_instructions[b];
            if (((first->match ^ second->match) & first->mask & second->mask) == 0) {
                assert_int_equal(first->mask & second->mask, second->mask);
                assert_int_not_equal(first->mask, second->mask);
            }
        }
    }
}

static void every_word_that_does_not_end_in_3_is_a_ttinsn(void **state)
{
    (void)state;
    for (uint32_t low = 0; low < 3; low++) {
        assert_int_equal(rv32_identify(0xabcdef00 | low), RV32_OP_TTINSN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_written_as_the_assembler_writes_them),
        cmocka_unit_test(a_short_buffer_is_not_overrun),
        cmocka_unit_test(every_table_line_is_identified_as_itself),
        cmocka_unit_test(overlaps_are_special_cases_listed_first),
        cmocka_unit_test(every_word_that_does_not_end_in_3_is_a_ttinsn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
