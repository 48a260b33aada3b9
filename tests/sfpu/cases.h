/* Instructions of the vector unit with one operand that takes all 2^32 values, in LReg[X], and digests of their
   results: LReg[X], LReg[D] and the lane flags, computed by exhaustive.h, for a sample and for all values. CASE(word,
   word that executes after it or 0, digest of the sample, digest of all) */
#ifndef BHEMU_TESTS_SFPU_CASES_H
#define BHEMU_TESTS_SFPU_CASES_H

#include "isa/tensix_isa.h"

/* LRegs, other than the operand: a, b and the destination are fixed (exhaustive.h), n is negative. */
enum { A = 0, X = 3, B = 4, N = 5, D = 7, LREG_ZERO = 9, LREG_ONE = 10 };

/* Words of the instructions with fields of 12, 4, 4 and 4 bits; `above` is the value of the upper field. */
#define W(name, above, vc, vd, mod1)                                                                                   \
    ((uint32_t)TENSIX_OPCODE_##name << 24 | (uint32_t)(above) << 12 | (vc) << 8 | (vd) << 4 | (mod1))
#define FACTORS(va, vb) ((va) << 4 | (vb))
#define ROUND(mode, shift, vb) ((mode) << 9 | (shift) << 4 | (vb))
/* Of those with an immediate of 16 bits, and of those with the destination above. */
#define IMMEDIATE(name, immediate, vd, mod1)                                                                           \
    ((uint32_t)TENSIX_OPCODE_##name << 24 | (uint32_t)(immediate) << 8 | (vd) << 4 | (mod1))
#define ABOVE(name, vd, mod0) ((uint32_t)TENSIX_OPCODE_##name << 24 | (uint32_t)(vd) << 20 | (uint32_t)(mod0) << 16)

/* clang-format off */

/* Digests of ttsim's results. */
#define CASES_OF_TTSIM(CASE) \
    CASE(W(SFPCAST, 0, X, D, 0), 0, 0x89263eedc1b84a79, 0xeba013ce73ee9c83) \
    CASE(W(SFPCAST, 0, X, D, 3), 0, 0xd27b124e4fa95174, 0xbebd5d53eb8914c8) \
    CASE(W(SFPARECIP, 0, X, D, 0), 0, 0xcab214845cc71da7, 0xe10c52c21a1cff54) \
    CASE(W(SFPEXEXP, 0, X, D, 0), 0, 0xd66c2c65386641a7, 0x10c43290b3f82dc7) \
    CASE(W(SFPEXEXP, 0, X, D, 1), 0, 0x13b5cc82d3c16ade, 0x48b2ba11a0a73f17) \
    CASE(W(SFPEXEXP, 0, X, D, 2), 0, 0x05bc714bf9d071f8, 0x186e043392c5c65d) \
    CASE(W(SFPEXEXP, 0, X, D, 10), 0, 0xa1f309e788650b1e, 0x9faabf0e10c9b6c3) \
    CASE(W(SFPEXMAN, 0, X, D, 0), 0, 0x71209ec4fe4d15c5, 0xde4512c6771d86e2) \
    CASE(W(SFPEXMAN, 0, X, D, 1), 0, 0xff1c622d29ef61eb, 0xcde08a203c78361a) \
    CASE(W(SFPSETEXP, 0x85, X, D, 1), 0, 0x2e60122767afffb0, 0x661a4fb755347601) \
    CASE(W(SFPSETEXP, 0, X, D, 0), 0, 0xe5df424f6d548825, 0xf320ddf04c1bc041) \
    CASE(W(SFPSETEXP, 0, D, X, 0), 0, 0x6eb444ccd176faae, 0xb63c7ef99c8c10d3) \
    CASE(W(SFPSETEXP, 0, X, D, 2), 0, 0xda63576ffbfee988, 0x9465cd4472e73de6) \
    CASE(W(SFPSETEXP, 0, D, X, 2), 0, 0x59de79b9c33d2c21, 0xf39fa93d26044599) \
    CASE(W(SFPSETMAN, 0, X, D, 1), 0, 0x59a8c4e627b98ef6, 0xd81b43d87236c07e) \
    CASE(W(SFPSETMAN, 0, X, D, 0), 0, 0x702d6db44e3da82a, 0x4411679192cc7361) \
    CASE(W(SFPSETMAN, 0, D, X, 0), 0, 0x63a1d6c98a0d5fb6, 0xbf66ae3c1ebe65c9) \
    CASE(W(SFPSETSGN, 0, X, D, 1), 0, 0x130b84ad534afbaf, 0x702726ff6ed934fc) \
    CASE(W(SFPSETSGN, 1, X, D, 1), 0, 0xc3c37880febf67b4, 0xb0526bd24e0bb065) \
    CASE(W(SFPSETSGN, 0, X, D, 0), 0, 0x130b84ad534afbaf, 0x702726ff6ed934fc) \
    CASE(W(SFPSETSGN, 0, D, X, 0), 0, 0x6c75eabf0d399c70, 0xe7a2915429717322) \
    CASE(W(SFPDIVP2, 0x55, X, D, 0), 0, 0x68eaade1a6e0c32b, 0xa8f5f7fe6a17496d) \
    CASE(W(SFPDIVP2, 0x001, X, D, 1), 0, 0x8fd33c8bf29144b7, 0x2f7a409fdaf91f39) \
    CASE(W(SFPDIVP2, 0xfff, X, D, 1), 0, 0x647fcbd8abe45046, 0x427c4c46dbb08788) \
    CASE(W(SFPDIVP2, 0x07f, X, D, 1), 0, 0x747391835a61b661, 0x3f5a70ebb1f77237) \
    CASE(W(SFPABS, 0, X, D, 0), 0, 0x47fdaf1dc079deb6, 0x85c4832e8641b652) \
    CASE(W(SFPABS, 0, X, D, 1), 0, 0xc51f4acbf2573842, 0xcc69fe51647655c9) \
    CASE(W(SFPLZ, 0, X, D, 0), 0, 0x935273b8b0d24757, 0x683c3557bf570254) \
    CASE(W(SFPLZ, 0, X, D, 2), 0, 0xf1e5d350c416f681, 0x0a26d157b905ea73) \
    CASE(W(SFPLZ, 0, X, D, 4), 0, 0x9c02cb17a3d0f5e5, 0xe435bdb88be65f6a) \
    CASE(W(SFPNOT, 0, X, D, 0), 0, 0x239645bbc395d5fb, 0x14d6a3837160ca51) \
    CASE(W(SFPMOV, 0, X, D, 0), 0, 0x320257fc44bd0bd0, 0x7866e5d27cc9f065) \
    CASE(W(SFPMOV, 0, X, D, 1), 0, 0x0949f0bb2438da5d, 0x2e765a2453d97911) \
    CASE(W(SFPMOV, 0, X, D, 2), 0, 0x320257fc44bd0bd0, 0x7866e5d27cc9f065) \
    CASE(W(SFPAND, 0, X, D, 0), 0, 0xe88093c9d9d1e58a, 0xa3005d5775cfeea0) \
    CASE(W(SFPOR, 0, X, D, 0), 0, 0x1d0e4fc6399b6c18, 0xc3065c26775f4de4) \
    CASE(W(SFPXOR, 0, X, D, 0), 0, 0x3f7bd45b3e1c01f9, 0x1e8ec17fd8c8e03a) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, X), X, D, 1), 0, 0xfcb8aa9ca1a16feb, 0xb41e3ff284f34b71) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, X), X, D, 2), 0, 0x87935fa5b432d002, 0x714fe82b1f8560a9) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, X), X, D, 3), 0, 0x1f6db5f085f4fdab, 0xdb319dd118693a73) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, X), X, D, 6), 0, 0xd02ec1ac41be18ef, 0x42531f8dcba6112e) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, X), X, D, 7), 0, 0xa199584fb8771baf, 0xe8bbe6221bd8d822) \
    CASE(W(SFPSETCC, 0, X, 0, 0), 0, 0xb90a28c90f5937ab, 0xf0c3c43746b8aa50) \
    CASE(W(SFPSETCC, 0, X, 0, 2), 0, 0xb9776c9c399a03ff, 0xb458c5f638c18383) \
    CASE(W(SFPSETCC, 0, X, 0, 4), 0, 0x523524fe7f57ccf5, 0xb55a1bc88c878c09) \
    CASE(W(SFPSETCC, 0, X, 0, 6), 0, 0x46299b88e6f53017, 0xe76983cbc9d206e3) \
    CASE(W(SFPLE, 0, X, D, 1), 0, 0xa571a48648583ee1, 0xb9a764d058ed0ef6) \
    CASE(W(SFPLE, 0, X, D, 8), 0, 0x742fd5707be9f62c, 0x0e73b69862ca6b74) \
    CASE(W(SFPGT, 0, X, D, 1), 0, 0x26c425fb98254424, 0x93668e3896512b83) \
    CASE(W(SFPGT, 0, X, D, 8), 0, 0xd28e2e7fd6292d12, 0x7e51ebd59e4c7f7a) \
    CASE(W(SFPSWAP, 0, X, D, 0), 0, 0x0a92a90e949264c4, 0x3c46789ddad959bf) \
    CASE(W(SFPSWAP, 0, X, D, 1), 0, 0xcef5df256c5f3510, 0x82d6dc09a6713893) \
    CASE(W(SFPSWAP, 0, X, D, 2), 0, 0x73d8d1a943486f5f, 0x4bcb5dd223c3e4d7) \
    CASE(W(SFPSWAP, 0, X, D, 3), 0, 0x4bfe3b832a51d38c, 0x4c746b666872c0a9) \
    CASE(W(SFPSWAP, 0, X, D, 9), 0, 0xa61bde8374e70d06, 0xa832a021e7380f2f) \
    CASE(W(SFPIADD, 0x7ff, X, D, 1), 0, 0x80d4ea18b6b2ac6a, 0xdbaca6eb3d8fd94a) \
    CASE(W(SFPIADD, 0x800, X, D, 5), 0, 0x8ce5f4bb2ec5611e, 0x4c912acedaa090e8) \
    CASE(W(SFPIADD, 0, X, D, 0), 0, 0xbbf2107532056df7, 0x772ff8410e0ed455) \
    CASE(W(SFPIADD, 0, X, D, 2), 0, 0xc87418c1929bab0a, 0xbb0ddbbe4be69193) \
    CASE(W(SFPIADD, 0, X, D, 10), 0, 0x716be7b974f61457, 0x78ae8c218163edee) \
    CASE(W(SFPIADD, 0, D, X, 6), 0, 0xeb0daff640beb3e8, 0x77e587f2538fcbd2) \
    CASE(W(SFPSHFT, 0xffb, X, D, 5), 0, 0x9f0bf3fede990302, 0xc9a2f670f54fb7d1) \
    CASE(W(SFPSHFT, 0xffb, X, D, 7), 0, 0xb033573412d2a6c3, 0x7c9fcd8d896c760c) \
    CASE(W(SFPSHFT, 0x005, X, D, 5), 0, 0xccf25654e61e2be0, 0xb27f1514539e9242) \
    CASE(W(SFPSHFT, 0, X, D, 0), 0, 0xb62a2f8d7c0e1dc6, 0xd5d5af2585e97bc5) \
    CASE(W(SFPSHFT, 0, N, X, 0), 0, 0x6e96cfc50f29c8f5, 0x5d464558442236a4) \
    CASE(W(SFPSHFT, 0, N, X, 2), 0, 0xe7c486b50a209380, 0x0f104b075444ade2) \
    CASE(W(SFPSHFT2, X, N, D, 5), 0, 0x3f31f31dfca81448, 0xfa2c89bb891b8790) \
    CASE(W(SFPSHFT2, N, X, D, 5), 0, 0x603ac2fc9f01b83f, 0x24d036f55d5c3d2a) \
    CASE(W(SFPSHFT2, 0, X, D, 3), 0, 0x2103e543f6ca7cdc, 0x27cb04d7b50432c2) \
    CASE(W(SFPSHFT2, 0, X, D, 4), 0, 0xd55f9ceb96ef6f7e, 0xa2b24db1a68b2148) \
    CASE(W(SFPMAD, FACTORS(X, A), B, D, 0), 0, 0xa55681ac4064b10a, 0x9aaa2b2c97aad15f) \
    CASE(W(SFPMAD, FACTORS(X, A), B, D, 1), 0, 0xc67e3bc420cb1f27, 0xb304e2fd96e87c60) \
    CASE(W(SFPMAD, FACTORS(X, A), B, D, 2), 0, 0x650dbab092667f3b, 0x34d4ff1c3fcad9b7) \
    CASE(W(SFPMAD, FACTORS(X, A), B, D, 3), 0, 0x16041a7bfce62721, 0x70ceca16065344fd) \
    CASE(W(SFPMAD, FACTORS(X, X), X, D, 0), 0, 0x5c18c86632294f8b, 0x5bab228034619440) \
    CASE(W(SFPADD, FACTORS(LREG_ONE, X), B, D, 0), 0, 0x660d61612b1873af, 0xbd519ee1746cce8d) \
    CASE(W(SFPADD, FACTORS(LREG_ONE, X), B, D, 3), 0, 0xf4760286ffc28d78, 0xa65b90b5f63bac0b) \
    CASE(W(SFPMUL, FACTORS(X, A), LREG_ZERO, D, 0), 0, 0x689065573e653ade, 0x4102db4fbb729a2d) \
    CASE(W(SFPMUL, FACTORS(X, A), LREG_ZERO, D, 1), 0, 0x9987a158aa6be533, 0xa39d98b45d9c42d9) \
    CASE(W(SFPMUL24, FACTORS(X, A), LREG_ZERO, D, 0), 0, 0xb2e81e000b3870cb, 0x9740cf47e7d3ea35) \
    CASE(W(SFPMUL24, FACTORS(X, A), LREG_ZERO, D, 1), 0, 0x44a3021259794930, 0xa6ea3e835c9ea7d3) \
    CASE(IMMEDIATE(SFPADDI, 0x3fc0, X, 0), 0, 0x9de2749dc0c2a151, 0x0cdde1abe0bda65b) \
    CASE(IMMEDIATE(SFPMULI, 0x4049, X, 0), 0, 0x3601658cf52c9bf2, 0xd272bea83f8fa1bc) \
    CASE(ABOVE(SFPLUT, D, 4), 0, 0xa498289d0c95b4a9, 0x4faf8d4e1fbb9765) \
    CASE(W(SFPLUTFP32, 0, 0, D, 2), 0, 0xcdb775680eac79d8, 0xa8d2f86380a853c2) \
    CASE(ABOVE(SFPSTORE, X, 2), ABOVE(SFPLOAD, D, 6), 0xb1a86ec6a46e3e8f, 0x114396ba27160c99) \
    CASE(ABOVE(SFPSTORE, X, 3), ABOVE(SFPLOAD, D, 4), 0x1f561bb71aebe9fd, 0xf7839777698cd05f) \
    CASE(ABOVE(SFPSTORE, X, 4), ABOVE(SFPLOAD, D, 4), 0x320257fc44bd0bd0, 0x7866e5d27cc9f065) \
    CASE(ABOVE(SFPSTORE, X, 6), ABOVE(SFPLOAD, D, 6), 0x3b880e646af937b2, 0xf47509a908474af2) \
    CASE(ABOVE(SFPSTORE, X, 7), ABOVE(SFPLOAD, D, 4), 0xabe3c7e706f1cc5d, 0xbbd3d0884322d610) \
    CASE(ABOVE(SFPSTORE, X, 9), ABOVE(SFPLOAD, D, 4), 0x4e459162b080ab14, 0xf6ee8469e5a34e4d) \
    CASE(ABOVE(SFPSTORE, X, 12), ABOVE(SFPLOAD, D, 4), 0x320257fc44bd0bd0, 0x7866e5d27cc9f065) \
    CASE(ABOVE(SFPSTORE, X, 14), ABOVE(SFPLOAD, D, 6), 0x3b880e646af937b2, 0xf47509a908474af2) \
    CASE(ABOVE(SFPSTORE, X, 15), ABOVE(SFPLOAD, D, 6), 0xe9c3c8685d615fab, 0xecb4924149d5addb)

/* Cases that ttsim refuses: digests of the results of the model of the ISA documentation (model.h). */
#define CASES_OF_THE_MODEL(CASE) \
    CASE(W(SFPCAST, 0, X, D, 1), 0, 0xc5bdcc772b8f89b4, 0xbee0082b6b5c433d) \
    CASE(W(SFPCAST, 0, X, D, 2), 0, 0x47fdaf1dc079deb6, 0x85c4832e8641b652) \
    CASE(W(SFPARECIP, N, X, D, 1), 0, 0x95e3a4e871a1d7a6, 0x867dbbd2754b1ecb) \
    CASE(W(SFPARECIP, A, X, D, 1), 0, 0x320257fc44bd0bd0, 0x7866e5d27cc9f065) \
    CASE(W(SFPARECIP, 0, X, D, 2), 0, 0x9b11176e51d98cd2, 0x0ed41a436f9085e9) \
    CASE(W(SFPEXEXP, 0, X, D, 3), 0, 0xeb336e3433426dbd, 0x8055eb2a9d542f61) \
    CASE(W(SFPEXEXP, 0, X, D, 8), 0, 0x85c3979c2848d42e, 0x8badb63b32c7196b) \
    CASE(W(SFPSETMAN, 0xabc, X, D, 1), 0, 0x0da0b2108b3a0cb1, 0x1b8e4a144d0231ff) \
    CASE(W(SFPLZ, 0, X, D, 6), 0, 0x0a797082eade6e8c, 0x3183b7222c6412cb) \
    CASE(W(SFPLZ, 0, X, D, 10), 0, 0x9f236af903871abc, 0x95a91c4afa9ee7c3) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, B), X, D, 0), 0, 0xacce4466e8dfc3ed, 0x173e6451027eb00c) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, B), X, D, 4), 0, 0xde651bb72f1ea368, 0x5b6619d7249c21c4) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 0, B), X, D, 5), 0, 0x66455e272d5d0275, 0xf8166ec99c397872) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 23, B), X, D, 12), 0, 0x6953e29941a848b2, 0x65cc5fee6cadad24) \
    CASE(W(SFP_STOCH_RND, ROUND(0, 23, B), X, D, 13), 0, 0x8611828a54e75595, 0x2c1fe519e19e9f39) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 0), 0, 0xcc522f9f7971ff68, 0xe8a07fa05242e6f7) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 1), 0, 0x3f0e12850094973c, 0xfeff40d74642ce43) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 2), 0, 0xcb016434e899c31b, 0x3d46b58a398283af) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 3), 0, 0x88f590c502ca45cd, 0x4a15a5c1ab723e65) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 5), 0, 0xb2d8824b6fe9e473, 0xc16821d47f131d96) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 6), 0, 0x3854332767dcb57e, 0x9f16afd5d653fbd6) \
    CASE(W(SFP_STOCH_RND, ROUND(2, 0, B), X, D, 7), 0, 0xa423b3f3e8ae6c37, 0x72754c67da529ec0) \
    CASE(W(SFP_STOCH_RND, ROUND(1, 0, B), X, D, 0), 0, 0xccc2ab3abd4499aa, 0x29563fcb9311e27d) \
    CASE(W(SFP_STOCH_RND, ROUND(1, 0, B), X, D, 1), 0, 0x102721ef1145c80a, 0xc54cf6cbef9eaee9) \
    CASE(W(SFP_STOCH_RND, ROUND(1, 0, B), X, D, 3), 0, 0x9139ab183dcb796d, 0xf4afc6f5a4f008bf) \
    CASE(W(SFP_STOCH_RND, ROUND(1, 0, B), X, D, 4), 0, 0x4bce22824a87451a, 0x53262daf94be589a) \
    CASE(W(SFP_STOCH_RND, ROUND(1, 0, B), X, D, 7), 0, 0x4265a7c4bddd81d5, 0x3001f3fc226d736a) \
    CASE(W(SFPSWAP, 0, X, D, 4), 0, 0x701c2aede37fe35b, 0x5873f99a576fa397) \
    CASE(W(SFPSWAP, 0, X, D, 5), 0, 0x577b8b2e993277be, 0x75617cdff02f0059) \
    CASE(W(SFPSWAP, 0, X, D, 6), 0, 0xce349a590985bda2, 0x3e478d43a81f9b71) \
    CASE(W(SFPSWAP, 0, X, D, 7), 0, 0xaf4bb7ef6c0db0de, 0xf95984e416dbc8e4) \
    CASE(W(SFPSWAP, 0, X, D, 8), 0, 0x3bee6654991727fa, 0x0c83faab97c7853a) \
    CASE(W(SFPSHFT2, 0x003, 0, D, 6), 0, 0x1205d0c17a30698f, 0x05234934879a772e) \
    CASE(W(SFPSHFT2, 0xff3, 0, D, 6), 0, 0x8a920c569f138898, 0xe1176b579a7a835f) \
    CASE(W(SFPMAD, FACTORS(X, X), B, D, 4), 0, 0x166ddafce2415b11, 0x4fee116562779717) \
    CASE(W(SFPMAD, FACTORS(X, A), B, D, 8), 0, 0xa55681ac4064b10a, 0x9aaa2b2c97aad15f) \
    CASE(W(SFPMUL24, FACTORS(X, A), B, D, 0), 0, 0x26e8696a196b931c, 0x9963d279568a77fa) \
    CASE(W(SFPMUL24, FACTORS(X, A), B, D, 1), 0, 0xf70d886a3665ac47, 0xf8be0819d94fab4c) \
    CASE(W(SFPMUL24, FACTORS(A, B), X, D, 0), 0, 0xbdc74b46355122c2, 0xab9f3a5505bdcfc2) \
    CASE(IMMEDIATE(SFPADDI, 0xc049, X, 2), 0, 0x39127b19395db83a, 0x1a172bcbfc3f9535) \
    CASE(IMMEDIATE(SFPMULI, 0x3eab, X, 2), 0, 0x4ba95728da29dc5e, 0x462f67f2d4b0bd59) \
    CASE(ABOVE(SFPLUT, D, 0), 0, 0xd55d5fa641dda7cb, 0x6c200d161825c4f2) \
    CASE(ABOVE(SFPLUT, D, 12), 0, 0xa498289d0c95b4a9, 0x4faf8d4e1fbb9765) \
    CASE(W(SFPLUTFP32, 0, 0, D, 0), 0, 0x2757042d0a314e55, 0x42f43eb8977b2c30) \
    CASE(W(SFPLUTFP32, 0, 0, D, 3), 0, 0xdad3a1cfe41d57ff, 0x510d0f4a6e53dab5) \
    CASE(W(SFPLUTFP32, 0, 0, D, 4), 0, 0x208b2a4d2514facc, 0xa7a689a6252d312a) \
    CASE(W(SFPLUTFP32, 0, 0, D, 10), 0, 0x18d99aeedf66b528, 0x7957f550286ab288) \
    CASE(ABOVE(SFPSTORE, X, 1), ABOVE(SFPLOAD, D, 6), 0x759e54a2abfda43a, 0x09127bf70c041130) \
    CASE(ABOVE(SFPSTORE, X, 5), ABOVE(SFPLOAD, D, 6), 0x56ea32a6192206dc, 0xa49918e1d84c3154) \
    CASE(ABOVE(SFPSTORE, X, 8), ABOVE(SFPLOAD, D, 6), 0x50768db1da1fbbc2, 0xe5920a16bcc5cb7f) \
    CASE(ABOVE(SFPSTORE, X, 10), ABOVE(SFPLOAD, D, 4), 0x320257fc44bd0bd0, 0x7866e5d27cc9f065) \
    CASE(ABOVE(SFPSTORE, X, 11), ABOVE(SFPLOAD, D, 6), 0x714e96d0c82b6b1b, 0x56680347b652bb99) \
    CASE(ABOVE(SFPSTORE, X, 13), ABOVE(SFPLOAD, D, 6), 0x56ea32a6192206dc, 0xa49918e1d84c3154)

/* clang-format on */

#endif
