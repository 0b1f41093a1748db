//! Goldens for what CUDA adds to C++, and properties of every text.

use proptest::prelude::*;

use super::{Accent, Kind, Token, tokens};

/// A letter for a kind: the highlighter's classes, `o` operator, `i` plain name, `.` punctuation, upper case for the rest.
fn letter(kind: Kind) -> char {
    match kind {
        Kind::Space | Kind::Newline | Kind::Splice => '_',
        Kind::LineComment => 'c',
        Kind::BlockComment => 'C',
        Kind::String => 's',
        Kind::RawString => 'R',
        Kind::Char => 'S',
        Kind::Number => 'n',
        Kind::Identifier => 'i',
        Kind::Keyword => 'k',
        Kind::Type => 't',
        Kind::Qualifier => 'q',
        Kind::Builtin => 'b',
        Kind::Call => 'f',
        Kind::Launch => 'l',
        Kind::Directive => 'p',
        Kind::Header => 'H',
        Kind::Operator => 'o',
        Kind::Punctuation => '.',
        Kind::Other => 'X',
    }
}

/// Checks the tokens of `text` that are not white space, each written `text:letter`; parts of `expected` are apart by two blanks.
#[track_caller]
fn check(text: &str, expected: &str) {
    let shown: Vec<String> = tokens(text)
        .iter()
        .filter(|token| letter(token.kind) != '_')
        .map(|token| format!("{}:{}", token.text(text), letter(token.kind)))
        .collect();
    assert_eq!(shown.join("  "), expected, "{text}");
}

#[test]
fn qualifiers_and_launch_bounds() {
    check("__global__ void k(int)", "__global__:q  void:t  k:f  (:.  int:t  ):.");
    check(
        "__global__ __launch_bounds__(256, 4) void k()",
        "__global__:q  __launch_bounds__:q  (:.  256:n  ,:.  4:n  ):.  void:t  k:f  (:.  ):.",
    );
    check("extern __shared__ float s[];", "extern:k  __shared__:q  float:t  s:i  [:.  ]:.  ;:.");
    check("const float* __restrict__ x", "const:k  float:t  *:o  __restrict__:q  x:i");
}

#[test]
fn launches() {
    check("k<<<g, b, s>>>(x);", "k:f  <<<:l  g:i  ,:.  b:i  ,:.  s:i  >>>:l  (:.  x:i  ):.  ;:.");
    check("k<<<w * h, p->b>>>();", "k:f  <<<:l  w:i  *:o  h:i  ,:.  p:i  ->:o  b:i  >>>:l  (:.  ):.  ;:.");
    check("k<<<n >> 3, 1 << 5>>>();", "k:f  <<<:l  n:i  >>:o  3:n  ,:.  1:n  <<:o  5:n  >>>:l  (:.  ):.  ;:.");
    check(
        "k<<<g, b, sizeof(A<B<C<int>>>)>>>(x)",
        "k:f  <<<:l  g:i  ,:.  b:i  ,:.  sizeof:k  (:.  A:i  <:o  B:i  <:o  C:i  <:o  int:t  >>:o  >:o  ):.  >>>:l  (:.  x:i  ):.",
    );
    check(
        "k<<<A<B<C<int>>>::n, 1>>>()",
        "k:f  <<<:l  A:i  <:o  B:i  <:o  C:i  <:o  int:t  >>:o  >:o  :::o  n:i  ,:.  1:n  >>>:l  (:.  ):.",
    );
    check("k<<<1, size<T>>>>()", "k:f  <<<:l  1:n  ,:.  size:i  <:o  T:i  >:o  >>>:l  (:.  ):.");
    check("k<<<1, size<V<T>>>>>()", "k:f  <<<:l  1:n  ,:.  size:i  <:o  V:i  <:o  T:i  >>:o  >>>:l  (:.  ):.");
    check("k<<<(a < b), f(c >> 1)>>>()", "k:f  <<<:l  (:.  a:i  <:o  b:i  ):.  ,:.  f:f  (:.  c:i  >>:o  1:n  ):.  >>>:l  (:.  ):.");
    check("scale<float, 32><<<g, b>>>()", "scale:f  <:o  float:t  ,:.  32:n  >:o  <<<:l  g:i  ,:.  b:i  >>>:l  (:.  ):.");
    check("k<V<int>><<<1, 2>>>()", "k:f  <:o  V:i  <:o  int:t  >>:o  <<<:l  1:n  ,:.  2:n  >>>:l  (:.  ):.");
    check("k <<<1,\n  2>>>\n (x)", "k:f  <<<:l  1:n  ,:.  2:n  >>>:l  (:.  x:i  ):.");
}

#[test]
fn shifts_and_templates_are_no_launches() {
    check("V<V<V<int>>> v;", "V:i  <:o  V:i  <:o  V:i  <:o  int:t  >>:o  >:o  v:i  ;:.");
    check("a >> b >>= c << d <<= e", "a:i  >>:o  b:i  >>=:o  c:i  <<:o  d:i  <<=:o  e:i");
    check("operator<<<int>(x)", "operator:k  <<:o  <:o  int:t  >:o  (:.  x:i  ):.");
    check("a < b > (c)", "a:i  <:o  b:i  >:o  (:.  c:i  ):.");
    check("if (i < n && m > (j))", "if:k  (:.  i:i  <:o  n:i  &&:o  m:i  >:o  (:.  j:i  ):.  ):.");
    // A launch that never closes takes nothing from the statement after it.
    check("k<<<1; V<V<V<int>>> v", "k:f  <<<:l  1:n  ;:.  V:i  <:o  V:i  <:o  V:i  <:o  int:t  >>:o  >:o  v:i");
}

#[test]
fn builtins_and_calls() {
    check("blockIdx.x * blockDim.x", "blockIdx:b  .:o  x:i  *:o  blockDim:b  .:o  x:i");
    check("__shfl_down_sync(m, v, 16)", "__shfl_down_sync:b  (:.  m:i  ,:.  v:i  ,:.  16:n  ):.");
    check(
        "__syncthreads(); atomicAdd(p, 1u); atomic(p)",
        "__syncthreads:b  (:.  ):.  ;:.  atomicAdd:b  (:.  p:i  ,:.  1u:n  ):.  ;:.  atomic:f  (:.  p:i  ):.",
    );
    check("make<float4>(a) + max (b)", "make:f  <:o  float4:b  >:o  (:.  a:i  ):.  +:o  max:f  (:.  b:i  ):.");
    check("reinterpret_cast<float4*>(p)", "reinterpret_cast:k  <:o  float4:b  *:o  >:o  (:.  p:i  ):.");
    check("uint8_t x; cudaError_t e", "uint8_t:t  x:i  ;:.  cudaError_t:t  e:i");
    check("template <typename T, int N = 4>", "template:k  <:o  typename:k  T:t  ,:.  int:t  N:i  =:o  4:n  >:o");
}

#[test]
fn declared_types_are_types_from_there_on() {
    check("T a; template <class T> T f(T(0))", "T:i  a:i  ;:.  template:k  <:o  class:k  T:t  >:o  T:t  f:f  (:.  T:t  (:.  0:n  ):.  ):.");
    check("struct Tile { }; Tile t;", "struct:k  Tile:t  {:.  }:.  ;:.  Tile:t  t:i  ;:.");
}

#[test]
fn directives() {
    check("#pragma unroll 4", "#pragma:p  unroll:p  4:n");
    check("  #  pragma unroll\nx", "#  pragma:p  unroll:p  x:i");
    check("#include <cuda/std/array> // y", "#include:p  <cuda/std/array>:H  // y:c");
    check("#include \"a.cuh\"", "#include:p  \"a.cuh\":s");
    check("#define F(a) \\\n  f(a) ## b\na < b", "#define:p  F:f  (:.  a:i  ):.  f:f  (:.  a:i  ):.  ##:o  b:i  a:i  <:o  b:i");
    check("#line 12 \"a.cu\"\n# 3", "#line:p  12:n  \"a.cu\":s  #:p  3:n");
    check("/* a */ #if x", "/* a */:C  #if:p  x:i");
    check("#error don't // so\nx", "#error:p  don:i  't // so:S  x:i");
    check("#define L(k) k<<<1, 2\n>>>()", "#define:p  L:f  (:.  k:i  ):.  k:f  <<<:l  1:n  ,:.  2:n  >>:o  >:o  (:.  ):.");
    let text = "#define A \\\n 1\nb";
    let inside: Vec<bool> = tokens(text).iter().map(|token| token.directive).collect();
    assert_eq!(inside, [true, true, true, true, true, true, true, false, false]);
}

#[test]
fn literals() {
    check(
        "1'000'000 0xFFu 0x1.8p-3f 1e+5 .5f 0b1'0 12_km 1.f",
        "1'000'000:n  0xFFu:n  0x1.8p-3f:n  1e+5:n  .5f:n  0b1'0:n  12_km:n  1.f:n",
    );
    check("1+1 a.b 3-x", "1:n  +:o  1:n  a:i  .:o  b:i  3:n  -:o  x:i");
    check("'a' '\\'' L'x' '\"'", "'a':S  '\\'':S  L'x':S  '\"':S");
    check("\"a\\\"b\" u8\"c\"_s \"// no\"", "\"a\\\"b\":s  u8\"c\"_s:s  \"// no\":s");
    check("R\"(a\"b)\" R\"x(a)\")x\"s", "R\"(a\"b)\":R  R\"x(a)\")x\"s:R");
    check("R\"(a\\\nb)\" c", "R\"(a\\\nb)\":R  c:i");
    check("\"open\nx", "\"open:s  x:i");
    check("\"on\\\nwards\" x", "\"on\\\nwards\":s  x:i");
    check("R\"no delimiter\" x", "R\"no delimiter\":s  x:i");
}

#[test]
fn comments() {
    check("a // b \\\n still\nc", "a:i  // b \\\n still:c  c:i");
    check("a /* b\n // c */ d", "a:i  /* b\n // c */:C  d:i");
    check("a /* open", "a:i  /* open:C");
    check("a /*/ b */ c", "a:i  /*/ b */:C  c:i");
    check("a / b //", "a:i  /:o  b:i  //:c");
}

/// Asserts that the tokens of `text` cover it, none empty.
fn cover(text: &str) {
    let mut at = 0;
    for token in tokens(text) {
        assert_eq!(token.start, at);
        assert!(token.end > token.start && text.get(token.start..token.end).is_some());
        at = token.end;
    }
    assert_eq!(at, text.len());
}

proptest! {
    #[test]
    fn tokens_cover_any_text(text in any::<String>()) {
        cover(&text);
    }

    /// Texts of the bytes that matter find what plain random texts do not.
    #[test]
    fn tokens_cover_texts_of_brackets_quotes_and_splices(text in "([<>/*\"'\\\\\n R()#é;{}. 1ekx_]|include|pragma|operator|R\"x\\(|\\)x\"){0,60}") {
        cover(&text);
    }
}

/// Texts that would take hours if any step looked back or ahead without a bound.
#[test]
fn no_text_costs_more_than_its_length() {
    for piece in [">", "<<<", "k<<<", ">(", "a<b>(", "a<b>>><<<", "R\"(", "/*", "\\\n", "#", "(", "'", "1'", "// \\\n"] {
        cover(&format!("k<<<{}", piece.repeat(200_000 / piece.len())));
    }
}

/// `cargo test --release lexer_speed -- --ignored --nocapture` prints MB/s; a look, not a test of time.
#[test]
#[ignore = "prints a speed, checks nothing but the cover"]
#[allow(clippy::disallowed_methods, reason = "a look at the speed needs a clock")]
fn lexer_speed() {
    let kernel = include_str!("speed.cu");
    let text = kernel.repeat(20_000_000 / kernel.len());
    let fastest = (0..7)
        .map(|_| {
            let start = std::time::Instant::now();
            std::hint::black_box(tokens(&text));
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    println!("{:.0} MB/s", text.len() as f64 / 1e6 / fastest.as_secs_f64());
    cover(&text);
}

#[test]
fn what_stands_out_is_kept_in_eight_bytes() {
    assert_eq!(size_of::<Accent>(), 8);
    let text = "int x = 1; // \u{e9}\n";
    let accents: Vec<(Kind, &str)> =
        tokens(text).iter().filter_map(Accent::of).map(|accent| (accent.kind, &text[accent.range()])).collect();
    assert_eq!(accents, [(Kind::Type, "int"), (Kind::Number, "1"), (Kind::LineComment, "// \u{e9}")]);
    let token = |start: usize, end: usize| Token { kind: Kind::BlockComment, directive: false, start, end };
    let range = |token: Token| Accent::of(&token).map(Accent::range);
    assert_eq!(range(token(1, 0x0100_0000)), Some(1..0x0100_0000));
    assert_eq!(range(token(0, 0x0100_0000)), None);
    assert_eq!(range(token(0x1_0000_0000, 0x1_0000_0001)), None);
}
