//! Turns a source that stands alone into a link that opens it in Compiler Explorer, all of it in the address.
//!
//! Must not ask that site for anything, nor must a page: a reader who follows the link does.

use base64ct::{Base64, Encoding as _};
use serde_json::json;

use crate::course::source::{Language, Source};

/// What Compiler Explorer calls the compiler that is asked for.
const COMPILER: &str = "nvcc129u1";

/// The longest address that servers are sure to take.
const LONGEST: usize = 8000;

/// The link for `source`, compiled for `architecture` with those of the `options` of a run that nvcc takes too; `None` for what is no
/// CUDA file by itself, or too long.
pub(crate) fn link(source: &Source, architecture: &str, options: &[String]) -> Option<String> {
    if source.language != Language::Cuda || !source.includes.is_empty() {
        return None;
    }
    let text: String = source.whole().iter().flat_map(|line| [line.text, "\n"]).collect();
    let architecture = format!("-arch={architecture}");
    let options: Vec<&str> = ["-O3", &architecture].into_iter().chain(options.iter().filter_map(|option| known(option))).collect();
    let state = json!({ "sessions": [{
        "id": 1,
        "language": "cuda",
        "source": text,
        "compilers": [{ "id": COMPILER, "options": options.join(" ") }],
    }] });
    let state = Base64::encode_string(state.to_string().as_bytes());
    // What an address may not hold of the alphabet of base 64.
    let state = state.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let link = format!("https://godbolt.org/clientstate/{state}");
    (link.len() <= LONGEST).then_some(link)
}

/// `option`, if nvcc knows it as NVRTC does.
fn known(option: &str) -> Option<&str> {
    const HEADS: [&str; 9] =
        ["--std=", "-std=", "--use_fast_math", "-use_fast_math", "--maxrregcount=", "--fmad=", "--ftz=", "--prec-", "-D"];
    (HEADS.iter().any(|head| option.starts_with(head)) && !option.contains([' ', '"'])).then_some(option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    fn source(text: &str) -> Source {
        Source::parse(&"kernels/a.cu".into(), &text.into(), &mut Problems::new())
    }

    fn options() -> Vec<String> {
        ["--gpu-architecture=sm_90", "--ptxas-options=-v", "--std=c++17"].map(str::to_owned).into()
    }

    #[test]
    fn the_address_holds_the_source_and_how_it_is_compiled() {
        let link = link(&source("// snippet: f\n__global__ void f() {}\n// end snippet\n"), "sm_90", &options()).unwrap();
        let state = link.strip_prefix("https://godbolt.org/clientstate/").unwrap();
        assert!(state.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'%'), "{state}");
        let state = state.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
        let state: serde_json::Value = serde_json::from_slice(&Base64::decode_vec(&state).unwrap()).unwrap();
        let session = &state["sessions"][0];
        assert_eq!(session["source"], "__global__ void f() {}\n");
        assert_eq!(session["compilers"][0]["options"], "-O3 -arch=sm_90 --std=c++17");
    }

    #[test]
    fn what_is_long_or_not_alone_has_none() {
        for text in ["#include \"b.cuh\"\n".to_owned(), "__global__ void f();\n".repeat(300)] {
            assert_eq!(link(&source(&text), "sm_90", &options()), None);
        }
    }
}
