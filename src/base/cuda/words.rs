//! Turns a word of CUDA C++ into its kind, in one probe of a table that the compiler of this tool builds.
//!
//! Must not know what stands around the word.

use super::Kind;

const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "__asm__",
    "auto",
    "bitand",
    "bitor",
    "break",
    "case",
    "catch",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "override",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "using",
    "virtual",
    "volatile",
    "__volatile__",
    "while",
    "xor",
    "xor_eq",
];

const TYPES: &[&str] = &["void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "__int128"];

const QUALIFIERS: &[&str] = &[
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__restrict__",
    "__restrict",
    "__launch_bounds__",
    "__noinline__",
    "__forceinline__",
    "__inline__",
    "__inline",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__grid_constant__",
    "__align__",
    "__attribute__",
    "__declspec",
    "__nv_pure__",
    "__device_builtin__",
    "__local_maxnreg__",
];

const BUILTINS: &[&str] = &[
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "dim3",
    "half",
    "half2",
    "__half",
    "__half2",
    "nv_bfloat16",
    "nv_bfloat162",
    "__nv_bfloat16",
    "__nv_bfloat162",
    "__nv_fp8_e4m3",
    "__nv_fp8_e5m2",
    "clock64",
    "cudaTextureObject_t",
    "cudaSurfaceObject_t",
    "__CUDA_ARCH__",
    "__CUDACC__",
    "__CUDACC_RTC__",
    "__NVCC__",
];

const SLOTS: usize = 1024;
static TABLE: [Option<(&str, Kind)>; SLOTS] = table();

/// Where a word belongs in the table; `word` is never empty.
const fn slot(word: &[u8]) -> usize {
    let (length, first, middle, last) = (word.len(), word[0] as usize, word[word.len() / 2] as usize, word[word.len() - 1] as usize);
    let second = if length > 2 { word[2] as usize } else { 0 };
    (length * 131 + first * 7 + second * 29 + middle * 61 + last * 313) % SLOTS
}

const fn table() -> [Option<(&'static str, Kind)>; SLOTS] {
    let mut table = [None; SLOTS];
    let lists: [(&[&'static str], Kind); 4] =
        [(KEYWORDS, Kind::Keyword), (TYPES, Kind::Type), (QUALIFIERS, Kind::Qualifier), (BUILTINS, Kind::Builtin)];
    let mut list = 0;
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].0.len() {
            let word = lists[list].0[index];
            let mut at = slot(word.as_bytes());
            while table[at].is_some() {
                at = (at + 1) % SLOTS;
            }
            table[at] = Some((word, lists[list].1));
            index += 1;
        }
        list += 1;
    }
    table
}

/// The kind of `word`, a name as C++ spells one.
pub(super) fn kind(word: &[u8]) -> Kind {
    if word.is_empty() {
        return Kind::Other;
    }
    let mut at = slot(word);
    while let Some((known, kind)) = TABLE[at] {
        if known.as_bytes() == word {
            return kind;
        }
        at = (at + 1) % SLOTS;
    }
    if word.ends_with(b"_t") {
        return Kind::Type;
    }
    if is_vector(word) { Kind::Builtin } else { Kind::Identifier }
}

/// Whether it is a vector type of CUDA: `float4`, `uchar2`, `double4_32a`.
fn is_vector(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"_16a").or(word.strip_suffix(b"_32a")).unwrap_or(word);
    let Some((b'1'..=b'4', base)) = word.split_last() else { return false };
    matches!(
        base,
        b"char"
            | b"uchar"
            | b"short"
            | b"ushort"
            | b"int"
            | b"uint"
            | b"long"
            | b"ulong"
            | b"longlong"
            | b"ulonglong"
            | b"float"
            | b"double"
    )
}

/// Whether a called name is CUDA's own: two underscores in front are reserved to the implementation.
pub(super) fn is_builtin_call(word: &[u8]) -> bool {
    word.starts_with(b"__") || word.strip_prefix(b"atomic").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_list_is_found() {
        for (list, expected) in [(KEYWORDS, Kind::Keyword), (TYPES, Kind::Type), (QUALIFIERS, Kind::Qualifier), (BUILTINS, Kind::Builtin)] {
            for word in list {
                assert_eq!(kind(word.as_bytes()), expected, "{word}");
            }
        }
        let others = [
            ("float4", Kind::Builtin),
            ("double4_32a", Kind::Builtin),
            ("float5", Kind::Identifier),
            ("4", Kind::Identifier),
            ("cudaError_t", Kind::Type),
            ("forx", Kind::Identifier),
        ];
        for (word, expected) in others {
            assert_eq!(kind(word.as_bytes()), expected, "{word}");
        }
    }
}
