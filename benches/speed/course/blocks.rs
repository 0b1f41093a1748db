//! Turns random numbers into CUDA of twenty to thirty lines: one of ten kernels, with sizes and names of its own.
//!
//! Must not know where it is shown. In `blocks/` a word behind a dollar is filled in.

use super::prose::Random;

const BLOCKS: [&str; 10] = [
    include_str!("blocks/saxpy.cu"),
    include_str!("blocks/matmul.cu"),
    include_str!("blocks/reduce.cu"),
    include_str!("blocks/histogram.cu"),
    include_str!("blocks/transpose.cu"),
    include_str!("blocks/stencil.cu"),
    include_str!("blocks/host.cu"),
    include_str!("blocks/softmax.cu"),
    include_str!("blocks/pipeline.cu"),
    include_str!("blocks/streams.cu"),
];

/// Six different blocks, whose names begin with `stem`.
pub(super) fn six(random: &mut Random, stem: &str) -> Vec<String> {
    let chosen = random.some(6, BLOCKS.len());
    chosen.into_iter().enumerate().map(|(place, block)| filled(random, BLOCKS[block], &format!("{stem}_{place}"))).collect()
}

fn filled(random: &mut Random, block: &str, name: &str) -> String {
    // Longer words first, where one begins with another.
    let filled = block.replace("$NAME", &name.to_uppercase()).replace("$name", name);
    let filled = filled.replace("$block", random.one(&["128", "256", "512"])).replace("$tile", random.one(&["16", "32"]));
    let filled = filled.replace("$items", random.one(&["2", "4", "8"])).replace("$bins", random.one(&["64", "128", "256"]));
    filled.replace("$radius", random.one(&["2", "3", "4"]))
}
