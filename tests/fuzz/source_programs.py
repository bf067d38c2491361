"""Random programs as C or C++ source: what pm_source.py and threads_source.py share.

Most of it are the ways to write one operation.  Such a form has languages and sizes (none: all), says whether the
address must be aligned, and a text in which P = address, V = value, E = expected, T = type of this size with any
alignment, U = aligned type, N = bytes, B = bits, Q = address of a source, R = constraint of a register; movS and its
like get the suffix of the size in assembly.
"""
import os
import re
import subprocess

import random_programs

C, CPP, ATOMIC = "c", "c++", dict(aligned=True)
AVX, AVX512 = "avx", "avx512"  # beside or in place of languages: forms for processors that have these
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]


def form(text, languages="c c++", sizes=(), aligned=False):
    return (text, languages.split(), sizes, aligned)


STORE = [
    form("*(volatile T *)(P) = (U)V;"),
    form("*(T *)(P) = (U)V;"),
    form("U value = (U)V; memcpy(P, &value, sizeof value);"),
    form("U value = (U)V; memmove(P, &value, N);"),
    form("struct __attribute__((packed, may_alias)) s { uint8_t before[3]; U field; };"
         " ((struct s *)(P - 3))->field = (U)V;"),
    form("struct __attribute__((packed, may_alias)) s { U field; uint16_t after; } *s = (struct s *)(P);"
         " s->field = (U)V;"),
    form("struct __attribute__((may_alias)) s { U b : B; }; ((struct s *)(P))->b = (U)V;", **ATOMIC),
    form("U *array = (U *)(P) - 2; for (int i = 2; i < 3; i++) array[i] = (U)V;", **ATOMIC),
    form("__atomic_store_n((U *)(P), (U)V, __ATOMIC_RELAXED);", **ATOMIC),
    form("*(T *)(P) = (T)(V == 5 ? 5 : V);"),
    form("*(T *)(P) ^= (T)(*(T *)(P) ^ (U)V);"),
    form("__asm__ volatile(\"movS %1, %0\" : \"=m\"(*(T *)(P)) : R((U)V));"),
    form("__asm__ volatile(\"movS %1, (%0)\" : : \"r\"(P), R((U)V) : \"memory\");"),
    form("atomic_store_explicit((_Atomic U *)(P), (U)V, memory_order_relaxed);", C, **ATOMIC),
    form("*(any_double *)(P) = double_of(V);", sizes=(8,)),
    form("*(any_float *)(P) = float_of((uint32_t)V);", sizes=(4,)),
    form("_mm_storel_epi64((__m128i_u *)(P), _mm_cvtsi64_si128((long long)V));", sizes=(8,)),
    form("_mm_storel_pd((double *)(P), _mm_set1_pd(double_of(V)));", sizes=(8,)),
    form("_mm_storeh_pd((double *)(P), _mm_set1_pd(double_of(V)));", sizes=(8,)),
    form("_mm_storel_pi((__m64 *)(P), _mm_castsi128_ps(_mm_cvtsi64_si128((long long)V)));", sizes=(8,)),
    form("*(T *)(P) = (U)_mm_extract_epi64(_mm_set1_epi64x((long long)V), 1);", sizes=(8,)),
    form("*(T *)(P) = (U)_mm_extract_epi32(_mm_set1_epi32((int)V), 2);", sizes=(4,)),
    form("*(T *)(P) = (U)_mm_extract_epi16(_mm_set1_epi16((short)V), 2);", sizes=(2,)),
    form("*(T *)(P) = (U)_mm_extract_epi8(_mm_set1_epi8((char)V), 2);", sizes=(1,)),
    form("U value = (U)V; for (unsigned i = 0; i < 1; i++) ((T *)(P))[i] = value;"),
    form("_Atomic U *p = (_Atomic U *)(P); atomic_init(p, (U)V);", C, **ATOMIC),
    form("struct s { U field; } value = {(U)V}; *(volatile struct s *)(P) = value;", C, **ATOMIC),
    form("std::atomic_ref<U>(*(U *)(P)).store((U)V, std::memory_order_relaxed);", CPP, **ATOMIC),
    form("_mm_maskstore_epi64((long long *)(P), _mm_set_epi64x(0, -1), _mm_set1_epi64x((long long)V));", AVX, sizes=(8,)),
    form("_mm256_maskstore_pd((double *)(P) - 2, _mm256_setr_epi64x(0, 0, -1, 0), _mm256_set1_pd(double_of(V)));", AVX, sizes=(8,)),
    form("_mm_maskstore_ps((float *)(P) - 1, _mm_setr_epi32(0, -1, 0, 0), _mm_set1_ps(float_of((uint32_t)V)));", AVX, sizes=(4,)),
    form("_mm_mask_storeu_epi64(P, 1, _mm_set1_epi64x((long long)V));", AVX512, sizes=(8,)),
    form("_mm512_mask_storeu_epi32(P - 8, 4, _mm512_set1_epi32((int)V));", AVX512, sizes=(4,)),
    form("_mm512_mask_storeu_epi16(P - 4, 4, _mm512_set1_epi16((short)V));", AVX512, sizes=(2,)),
    form("_mm512_mask_storeu_epi8(P - 1, 2, _mm512_set1_epi8((char)V));", AVX512, sizes=(1,)),
    form("_mm512_mask_compressstoreu_epi64(P, 16, _mm512_set1_epi64((long long)V));", AVX512, sizes=(8,)),
    form("_mm_store_ss((float *)(P), _mm_set1_ps(float_of((uint32_t)V)));", sizes=(4,)),
    form("*(void *__attribute__((may_alias)) *)(P) = (void *)(uintptr_t)V;", sizes=(8,), **ATOMIC),
    form("reinterpret_cast<std::atomic<U> *>(P)->store((U)V, std::memory_order_relaxed);", CPP, **ATOMIC),
    form("new (P) U((U)V);", CPP, **ATOMIC),
    form("U value = (U)V; std::copy_n(&value, 1, reinterpret_cast<U *>(P));", CPP, **ATOMIC),
    form("auto put = [](T *to, U value) { *to = value; }; put((T *)(P), (U)V);", CPP),
    form("struct s { T *to; U value; ~s() { *to = value; } } s{(T *)(P), (U)V};", CPP),
]
RELEASE = [
    form("__atomic_store_n((U *)(P), (U)V, __ATOMIC_RELEASE);"),
    form("atomic_store_explicit((_Atomic U *)(P), (U)V, memory_order_release);", C),
    form("reinterpret_cast<std::atomic<U> *>(P)->store((U)V, std::memory_order_release);", CPP),
    form("atomic_thread_fence(memory_order_release); *(volatile U *)(P) = (U)V;", C),
]
SEQ_CST = [
    form("__atomic_store_n((U *)(P), (U)V, __ATOMIC_SEQ_CST);"),
    form("*(_Atomic U *)(P) = (U)V;", C),
    form("atomic_store((_Atomic U *)(P), (U)V);", C),
    form("*reinterpret_cast<std::atomic<U> *>(P) = (U)V;", CPP),
    form("(void)__sync_lock_test_and_set((U *)(P), (U)V);"),
    form("U value = (U)V; __asm__ volatile(\"xchgS %0, %1\" : \"+q\"(value), \"+m\"(*(U *)(P)) : : \"memory\");"),
]
EXCHANGE = [
    form("value_read(__atomic_exchange_n((U *)(P), (U)V, __ATOMIC_SEQ_CST));"),
    form("value_read(__atomic_exchange_n((U *)(P), (U)V, __ATOMIC_RELAXED));"),
    form("value_read(__sync_lock_test_and_set((U *)(P), (U)V));"),
    form("value_read(atomic_exchange((_Atomic U *)(P), (U)V));", C),
    form("value_read(reinterpret_cast<std::atomic<U> *>(P)->exchange((U)V));", CPP),
    form("U value = (U)V; __asm__ volatile(\"xchgS %0, %1\" : \"+q\"(value), \"+m\"(*(U *)(P)) : : \"memory\");"
         " value_read(value);"),
]
ADD = [
    form("value_read(__atomic_fetch_add((U *)(P), (U)V, __ATOMIC_ACQ_REL));"),
    form("value_read(__sync_fetch_and_add((U *)(P), (U)V));"),
    form("value_read((U)(__atomic_add_fetch((U *)(P), (U)V, __ATOMIC_RELAXED) - (U)V));"),
    form("value_read(__atomic_fetch_sub((U *)(P), (U)(0 - (U)V), __ATOMIC_SEQ_CST));"),
    form("value_read((U)((*(_Atomic U *)(P) += (U)V) - (U)V));", C),
    form("value_read(reinterpret_cast<std::atomic<U> *>(P)->fetch_add((U)V, std::memory_order_relaxed));", CPP),
    form("value_read((U)((*reinterpret_cast<std::atomic<U> *>(P) += (U)V) - (U)V));", CPP),
    form("U value = (U)V; __asm__ volatile(\"lock; xaddS %0, %1\" : \"+q\"(value), \"+m\"(*(U *)(P)) : : \"memory\", \"cc\");"
         " value_read(value);"),
]
SWAP = [
    form("U old = (U)E; __atomic_compare_exchange_n((U *)(P), &old, (U)V, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);"
         " value_read(old);"),
    form("U old = (U)E; __atomic_compare_exchange_n((U *)(P), &old, (U)V, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED);"
         " value_read(old);"),
    form("value_read(__sync_val_compare_and_swap((U *)(P), (U)E, (U)V));"),
    form("U old = (U)E; atomic_compare_exchange_strong((_Atomic U *)(P), &old, (U)V); value_read(old);", C),
    form("U old = (U)E; reinterpret_cast<std::atomic<U> *>(P)->compare_exchange_weak(old, (U)V); value_read(old);", CPP),
    form("U old = (U)E; __asm__ volatile(\"lock cmpxchgS %2, %1\" : \"+a\"(old), \"+m\"(*(U *)(P)) : \"q\"((U)V)"
         " : \"memory\", \"cc\"); value_read(old);"),
]
SWAP16 = [
    form("swapped16(__sync_val_compare_and_swap((whole128 *)(P), twice(E), twice(V)));"),
    form("swapped16(swap16_in_assembly(P, E, V));"),
    form("unsigned __int128 old = twice(E);"
         " __atomic_compare_exchange_n((whole128 *)(P), &old, twice(V), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);"
         " swapped16(old);"),
]
STREAM = [
    form("_mm_stream_si64((long long *)(P), (long long)V);", sizes=(8,)),
    form("_mm_stream_si32((int *)(P), (int)V);", sizes=(4,)),
    form("__builtin_nontemporal_store((U)V, (U *)(P));"),
    form("__asm__ volatile(\"movnti %1, %0\" : \"=m\"(*(U *)(P)) : \"r\"((U)V));"),
]
COPY_IN = [
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); memcpy(P, bytes, N);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); memmove(P, bytes, sizeof bytes);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); __builtin_memcpy(P, bytes, N);"),
    form("uint8_t bytes[N]; volatile size_t n = N; fill(bytes, N, (unsigned)V); memcpy(P, bytes, n);"),
    form("struct __attribute__((may_alias)) s { uint8_t bytes[N]; } s; fill(s.bytes, N, (unsigned)V);"
         " *(struct s *)(P) = s;"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); bcopy(bytes, P, N);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); mempcpy(P, bytes, N);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); repeat_movsb(P, bytes, N);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); __builtin___memcpy_chk(P, bytes, N, 4096);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); __builtin_memcpy_inline(P, bytes, N);"),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); std::uninitialized_copy_n(bytes, N, P);", CPP),
    form("std::array<uint8_t, N> bytes; fill(bytes.data(), N, (unsigned)V); *reinterpret_cast<std::array<uint8_t, N> *>(P) = bytes;", CPP),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); std::copy(bytes, bytes + N, P);", CPP),
    form("uint8_t bytes[N]; fill(bytes, N, (unsigned)V); _mm_storeu_si128((__m128i_u *)(P), _mm_loadu_si128((__m128i_u *)bytes));",
         sizes=(16,)),
]
FILL = [
    form("memset(P, (int)V, N);"),
    form("__builtin_memset(P, (int)V, N);"),
    form("volatile size_t n = N; memset(P, (int)V, n);"),
    form("repeat_stosb(P, (int)V, N);"),
    form("std::fill_n(P, N, (uint8_t)V);", CPP),
]
MOVE = [
    form("memmove(P, Q, N);"),
    form("volatile size_t n = N; memmove(P, Q, n);"),
    form("uint8_t bytes[N]; memcpy(bytes, Q, N); memcpy(P, bytes, N);"),
    form("struct __attribute__((may_alias)) s { uint8_t bytes[N]; } s = *(struct s *)(Q); *(struct s *)(P) = s;"),
]
STORE16 = [
    form("_mm_storeu_si128((__m128i_u *)(P), _mm_set_epi64x((long long)(V + 1), (long long)V));"),
    form("*(anyv2 *)(P) = (anyv2){(long long)V, (long long)(V + 1)};"),
    form("*(any128 *)(P) = (unsigned __int128)(uint64_t)(V + 1) << 64 | (uint64_t)V;"),
    form("_mm_storeu_pd((double *)(P), _mm_set_pd(double_of(V + 1), double_of(V)));"),
    form("struct __attribute__((packed, may_alias)) s { uint64_t a, b; } s = {V, V + 1}; *(struct s *)(P) = s;"),
    form("__m128i value = _mm_set_epi64x((long long)(V + 1), (long long)V);"
         " __asm__ volatile(\"movdqu %1, %0\" : \"=m\"(*(anyv2 *)(P)) : \"x\"(value));"),
]
LOAD16 = [
    form("uint64_t w[2]; _mm_storeu_si128((__m128i_u *)w, _mm_loadu_si128((__m128i_u *)(P)));"
         " value_read(w[1]); value_read(w[0]);"),
    form("wide_read(*(any128 *)(P));"),
    form("anyv2 v = *(anyv2 *)(P); value_read((uint64_t)v[1]); value_read((uint64_t)v[0]);"),
    form("struct __attribute__((packed, may_alias)) s { uint64_t a, b; } s = *(struct s *)(P); value_read(s.b); value_read(s.a);"),
]
LOAD = [
    form("value_read(*(volatile T *)(P));"),
    form("value_read(*(T *)(P));"),
    form("const T *p = (const T *)(P); value_read(*p);"),
    form("value_read((uint64_t)_mm_cvtsi128_si64(_mm_castpd_si128(_mm_loadl_pd(_mm_setzero_pd(), (double *)(P)))));", sizes=(8,)),
    form("value_read((uint64_t)_mm_extract_epi64(_mm_castpd_si128(_mm_loadh_pd(_mm_setzero_pd(), (double *)(P))), 1));", sizes=(8,)),
    form("value_read((uint32_t)_mm_extract_epi32(_mm_insert_epi32(_mm_setzero_si128(), *(T *)(P), 1), 1));", sizes=(4,)),
    form("value_read((uint8_t)_mm_extract_epi8(_mm_insert_epi8(_mm_setzero_si128(), *(T *)(P), 1), 1));", sizes=(1,)),
    form("value_read(std::atomic_ref<U>(*(U *)(P)).load());", CPP, **ATOMIC),
    form("value_read((uint64_t)_mm_cvtsi128_si64(_mm_maskload_epi64((long long *)(P), _mm_set_epi64x(0, -1))));", AVX, sizes=(8,)),
    form("value_read((uint32_t)_mm_cvtsi128_si32(_mm_maskz_loadu_epi32(1, P)));", AVX512, sizes=(4,)),
    form("value_read((uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(_mm512_maskz_expandloadu_epi64(1, P))));", AVX512, sizes=(8,)),
    form("U value; memcpy(&value, P, sizeof value); value_read(value);"),
    form("struct __attribute__((packed, may_alias)) s { uint8_t before[5]; U field; };"
         " value_read(((struct s *)(P - 5))->field);"),
    form("value_read(__atomic_load_n((U *)(P), __ATOMIC_ACQUIRE));", **ATOMIC),
    form("value_read(__atomic_load_n((U *)(P), __ATOMIC_SEQ_CST));", **ATOMIC),
    form("value_read(*(_Atomic U *)(P));", C, **ATOMIC),
    form("value_read(*reinterpret_cast<std::atomic<U> *>(P));", CPP, **ATOMIC),
    form("U value; __asm__ volatile(\"movS %1, %0\" : \"=q\"(value) : \"m\"(*(T *)(P))); value_read(value);"),
    form("value_read(__builtin_nontemporal_load((U *)(P)));", **ATOMIC),
    form("value_read((uint64_t)_mm_cvtsi128_si64(_mm_loadl_epi64((__m128i_u *)(P))));", sizes=(8,)),
    form("any_double d = *(any_double *)(P); uint64_t bits; memcpy(&bits, &d, 8); value_read(bits);", sizes=(8,)),
    form("T &reference = *reinterpret_cast<T *>(P); value_read(reference);", CPP),
    form("U value; std::copy_n(reinterpret_cast<U *>(P), 1, &value); value_read(value);", CPP, **ATOMIC),
]
COPY_OUT = [
    form("uint8_t bytes[N]; memcpy(bytes, P, N); bytes_read(bytes, N);"),
    form("uint8_t bytes[N]; volatile size_t n = N; memcpy(bytes, P, n); bytes_read(bytes, N);"),
    form("uint8_t bytes[N]; repeat_movsb(bytes, P, N); bytes_read(bytes, N);"),
    form("struct __attribute__((may_alias)) s { uint8_t bytes[N]; } s = *(struct s *)(P); bytes_read(s.bytes, N);"),
    form("uint8_t bytes[N]; std::copy(P, P + N, bytes); bytes_read(bytes, N);", CPP),
]
SIMPLE = {
    "f": ["_mm_clflush(P);", "__asm__ volatile(\"clflush %0\" : \"+m\"(*(volatile uint8_t *)(P)));",
          "__asm__ volatile(\"clflush (%0)\" : : \"r\"(P) : \"memory\");", "clflush(P);"],
    "o": ["clflushopt(P);", "__asm__ volatile(\"clflushopt %0\" : \"+m\"(*(volatile uint8_t *)(P)));",
          "__asm__ volatile(\".byte 0x66; clflush %0\" : \"+m\"(*(volatile uint8_t *)(P)));"],
    "w": ["clwb(P);", "__asm__ volatile(\"clwb %0\" : \"+m\"(*(volatile uint8_t *)(P)));",
          "__asm__ volatile(\".byte 0x66; xsaveopt %0\" : \"+m\"(*(volatile uint8_t *)(P)));",
          "__asm__ volatile(\"clwb (%0)\" : : \"r\"(P) : \"memory\");"],
    "S": ["_mm_sfence();", "__asm__ volatile(\"sfence\" : : : \"memory\");", "__builtin_ia32_sfence();"],
    "M": ["_mm_mfence();", "__asm__ volatile(\"mfence\" : : : \"memory\");", "__atomic_thread_fence(__ATOMIC_SEQ_CST);",
          "__sync_synchronize();", "__asm__ volatile(\"lock; addl $0, 0(%%rsp)\" : : : \"memory\", \"cc\");"],
    "L": ["_mm_lfence();", "__atomic_thread_fence(__ATOMIC_ACQ_REL);", "__atomic_signal_fence(__ATOMIC_SEQ_CST);",
          "__asm__ volatile(\"\" : : : \"memory\");", "__asm__ volatile(\"lfence\");"],
    "#": ["tidemark_assert(seen->last % 2 == 0);"],
}
FORMS = {"s": STORE, "d": STORE, "R": RELEASE, "A": SEQ_CST, "x": EXCHANGE, "a": ADD, "c": SWAP, "C": SWAP16,
         "n": STREAM, "m": COPY_IN, "z": FILL, "y": MOVE, "v": STORE16, "V": LOAD16, "l": LOAD, "r": COPY_OUT,
         "k": [form("validate(P, N);")], **{kind: [form(text) for text in texts] for kind, texts in SIMPLE.items()}}
AROUND = [
    "{ %s }", "{ %s }", "do { %s } while (0);", "for (volatile int once = 1; once; once = 0) { %s }",
    "if (seen->length != sizeof seen->text) { %s }", "switch (seen->last %% 2) { case 0: case 1: default: %s }",
]


def processor():
    """What it has of AVX, as forms name it, and the flags for that."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        flags = set(next((line for line in lines if line.startswith("flags")), "").split())
    wide = {"avx512f", "avx512vl", "avx512bw", "avx512dq"}
    names = ["avx2"] * ("avx2" in flags) + sorted(wide) * (wide <= flags)
    return ([AVX] * ("avx2" in flags) + [AVX512] * (wide <= flags), ["-m" + name for name in names])


EXTENSIONS, EXTENSION_FLAGS = processor()


def fits(written, size, offset, language):
    _, languages, sizes, aligned = written
    written_so = language in languages or languages[0] in EXTENSIONS
    return written_so and (not sizes or size in sizes) and not (aligned and size and offset % size)


def write(forms, rng, language, size, offset, place, value, expected=0, source=""):
    """One of the forms that fit, filled in; `place` makes an address of an offset, which may be negative in between."""
    text = rng.choice([f for f in forms if fits(f, size, offset, language)])[0]
    replaced = {
        "P": "(%s)" % place, "Q": "(%s)" % source, "N": str(size), "B": str(8 * size), "V": value, "E": "%dULL" % expected,
        "T": "any%d" % (8 * size), "U": "uint%d_t" % (8 * size), "R": '"q"',
    }
    text = re.sub(r"\b[PQNBVETUR]\b", lambda match: replaced[match.group()], text)
    suffix = {1: "b", 2: "w", 4: "l", 8: "q"}.get(size, "")
    return rng.choice(AROUND) % re.sub(r"\b(mov|xchg|xadd|cmpxchg)S\b", lambda match: match.group(1) + suffix, text)


# ---- building and comparing: a driver is a module with NAME, HEADER, program_source, random_batches, disagreement ----

MAIN = """
int main(int argc, char **argv) {
  static void (*const programs[])(void) = {%s};
  return argc == 2 ? run_program(programs[atoi(argv[1])]) : 2;
}
"""


def build(driver, cases, name):
    """Cases of one language and one set of flags become one program, which is told which of them it is."""
    folder = os.path.join(random_programs.BUILD, "tests", driver.NAME)
    os.makedirs(folder, exist_ok=True)
    path, language = os.path.join(folder, name), cases[0].language
    source = path + (".c" if language == C else ".cc")
    with open(source, "w", encoding="utf-8") as out:
        out.write("#define _GNU_SOURCE\n#include \"%s\"\n\n" % os.path.join(random_programs.HERE, driver.HEADER))
        for number, case in enumerate(cases):
            out.write(driver.program_source(case, number) + "\n")
            case.program, case.number = path, number
        out.write(MAIN % ", ".join("program%d" % number for number in range(len(cases))))
    compiler = os.path.join(random_programs.BUILD, "bin", "tidemark-cc" if language == C else "tidemark-c++")
    command = [compiler, "-std=gnu11" if language == C else "-std=gnu++20", "-w", "-g", "-mcx16", "-mclwb", "-mclflushopt",
               "-march=x86-64-v2", *EXTENSION_FLAGS, *cases[0].flags.split(), "-I",
               os.path.join(random_programs.ROOT, "include"), "-o", path, source, "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError("%s\n%s" % (" ".join(command), done.stderr[:3000]))


def add_arguments(parser, flips):
    random_programs.add_arguments(parser, flips)
    parser.add_argument("--forms", type=int, default=1, help="which form each operation has")
    parser.add_argument("--language", choices=[C, CPP], default=C)
    parser.add_argument("--flags", default="-O1")


def run(driver, arguments, case):
    """case: the one to look at, or None: as many random ones as asked for.  The exit status."""
    def fails(one):
        if one.program is None:
            build(driver, [one], "one")
        return driver.disagreement(one, arguments.flip)

    if case:
        what = fails(case)
        print(what or "agree: {%s}" % " | ".join(sorted(driver.expected(case))))
        return 1 if what else 0
    for number, cases in enumerate(driver.random_batches(arguments)):
        build(driver, cases, "seed%d_%d" % (arguments.seed, number))
        for one in cases:
            what = fails(one)
            if what:
                random_programs.report_failure(driver, one, what, fails)
                return 1
    print("%s: seed %d\n%d passed, 0 failed" % (driver.NAME, arguments.seed, arguments.count))
    return 0
