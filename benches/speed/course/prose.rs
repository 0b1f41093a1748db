//! Turns random numbers into sentences about GPUs that read like a lesson and say nothing that was measured.
//!
//! Must not hold a number with a unit: those come from evidence, which prose has none of.

use lessonc::evidence::order::SplitMix;

/// What lessons are about, in turn.
pub(super) const TOPICS: [&str; 40] = [
    "coalesced loads",
    "bank conflicts",
    "divergent branches",
    "occupancy",
    "register pressure",
    "warp shuffles",
    "tree reductions",
    "prefix sums",
    "tiled products",
    "asynchronous copies",
    "overlapping streams",
    "event timing",
    "captured graphs",
    "cooperative groups",
    "contended atomics",
    "private histograms",
    "texture fetches",
    "constant memory",
    "pinned buffers",
    "page faults",
    "launch overhead",
    "issue slots",
    "matrix fragments",
    "mixed precision",
    "fused softmax",
    "stencil halos",
    "padded transposes",
    "sparse rows",
    "persistent kernels",
    "launches from kernels",
    "clusters of blocks",
    "distributed shared memory",
    "bulk copies",
    "phases of barriers",
    "memory order",
    "cache residency",
    "rooflines",
    "profiler counters",
    "error handling",
    "copies between devices",
];

const NOUNS: [&str; 22] = [
    "kernel",
    "block",
    "warp",
    "tile",
    "buffer",
    "row",
    "column",
    "load",
    "store",
    "barrier",
    "cache line",
    "partial sum",
    "accumulator",
    "stride",
    "prologue",
    "epilogue",
    "launch",
    "stream",
    "counter",
    "scheduler",
    "halo",
    "fragment",
];
const ADJECTIVES: [&str; 18] = [
    "narrow",
    "packed",
    "strided",
    "resident",
    "redundant",
    "separate",
    "partial",
    "predictable",
    "serial",
    "balanced",
    "lopsided",
    "cheap",
    "costly",
    "quiet",
    "saturated",
    "short",
    "long",
    "late",
];
const VERBS: [&str; 11] =
    ["hides", "exposes", "removes", "bounds", "delays", "repeats", "splits", "reorders", "dominates", "limits", "amortises"];
const TOOLS: [&str; 7] =
    ["the timeline", "the memory chart", "a pair of events", "a dump of counters", "the source view", "a small benchmark", "the listing"];
const NAMES: [&str; 14] = [
    "threadIdx.x",
    "blockDim.x",
    "gridDim.y",
    "__syncthreads()",
    "__shfl_down_sync",
    "cudaMemcpyAsync",
    "cudaEventRecord",
    "__launch_bounds__",
    "cudaMalloc",
    "atomicAdd",
    "__restrict__",
    "cudaStreamSynchronize",
    "__ldg",
    "warpSize",
];
const COUNTS: [&str; 10] = ["2", "4", "8", "16", "24", "32", "64", "128", "256", "512"];

/// Sentences with gaps: `{a}` and `{b}` are nouns, `{is}` and `{was}` adjectives, `{does}` a verb, `{count}` a number of what an author
/// sets, `{with}` a tool, `{name}` a name in code, `{topic}` a topic.
const SENTENCES: [&str; 26] = [
    "Whenever the input is no multiple of {count} elements, the {is} {a} {does} the {b}, and nothing in the source says so.",
    "Begin with the version that touches every {a} more than once, because what it costs is easy to foresee: one {b} for each of them.",
    "With *{topic}* in mind the change looks small, yet it moves the bottleneck from the {a} to the {b}.",
    "Call `{name}` once for each {a} and keep what it returns; a second call buys nothing that the {b} did not have before.",
    "Who remembers only one thing of this page should remember what an uncovered {a} costs, and why the {b} can't pay for it.",
    "The compiler may move the {a} above the {b}, and {with} is where one sees that it did.",
    "Where the {a} is {is}, the hardware has nothing to overlap it with, so that the time follows the {b} almost exactly.",
    "Repeat every run and look at the middle of them, since one {is} {a} is enough to bend a mean.",
    "It helps to draw the {a} on paper first: {count} threads along one axis, the {b} along the other, an arrow for each access.",
    "Hold this against {with}, and when the two disagree, distrust the **{a}** before the clock.",
    "On a smaller device the same {a} becomes {is}, which is why the shape of the launch is a parameter here.",
    "The guard around `{name}` is no ornament; without it the last {a} writes past the end of the {b}.",
    "Since every {a} owns {count} elements, the body of the loop runs without a branch and the {b} stays {is}.",
    "Questions about {topic} mostly come down to one ratio, that of what is moved to what the {a} computes from it.",
    "The first attempt was slow; taking away the {is} {a} helped, and most of the gain was still there with a {was} {b}.",
    "Make little of a gain on a single {a}: try it again with a {is} {b} and an empty cache.",
    "Two warps may reach `{name}` in either order, and so the result must not hang on which {a} comes first.",
    "While the {a} fits on the chip, the {b} stays there for the whole pass and the traffic halves.",
    "That {is} {a} is also why a larger block does not help: the {b} runs out before the threads do.",
    "Keep the {a} and the {b} in arrays of their own; to interleave them saves a pointer and wastes half of every {is} access.",
    "It is a good habit to write down what one expects next to the launch, and to let {with} confirm the guess or shame it.",
    "The arithmetic is dull and worth doing once: {count} threads, an element for each, and one {a} for every {b}.",
    "Under load the {a} {does} the {b}, and what looked like {topic} turns out to be a queue in front of the memory.",
    "None of this changes the answer, which is compared with a plain loop on the host, element by element.",
    "Later lessons put a {is} {a} in its place, so withstand the wish to tune the {b} any further now.",
    "The {is} case is the common one, and there the {a} costs less than the {b} that it would take to skip it.",
];

const HEADINGS: [&str; 10] = [
    "What the hardware makes of {topic}",
    "A first kernel",
    "Measure, then change",
    "Where {topic} stops helping",
    "What the counters say",
    "Once more: {topic}",
    "Mistakes that survive a review",
    "Exercises on {topic}",
    "The shape of the launch",
    "What to take along",
];

/// A stream of choices.
pub(super) struct Random(SplitMix);

impl Random {
    /// The stream of lesson `index`.
    pub(super) fn of(index: usize) -> Self {
        Self(SplitMix(0x6C65_7373_6F6E ^ (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    pub(super) fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    /// `count` of the numbers below `bound`, each at most once, in random order.
    pub(super) fn some(&mut self, count: usize, bound: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..bound).collect();
        for at in 0..count.min(bound) {
            let other = at + self.below(bound - at);
            all.swap(at, other);
        }
        all.truncate(count);
        all
    }

    /// `count` different sentences on `topic`.
    pub(super) fn sentences(&mut self, topic: &str, count: usize) -> Vec<String> {
        let chosen = self.some(count, SENTENCES.len());
        chosen.into_iter().map(|sentence| self.filled(SENTENCES[sentence], topic)).collect()
    }

    /// Headings of one lesson, each on a topic of its own.
    pub(super) fn headings(&mut self, count: usize) -> Vec<(String, &'static str)> {
        let chosen = self.some(count, HEADINGS.len());
        let heading = |heading: usize| {
            let topic = self.one(&TOPICS);
            (HEADINGS[heading].replace("{topic}", topic), topic)
        };
        chosen.into_iter().map(heading).collect()
    }

    fn filled(&mut self, sentence: &str, topic: &str) -> String {
        let mut filled = String::with_capacity(sentence.len() + 32);
        let mut rest = sentence;
        while let Some((before, gap)) = rest.split_once('{') {
            let (name, behind) = gap.split_once('}').unwrap_or((gap, ""));
            filled.push_str(before);
            filled.push_str(match name {
                "a" | "b" => self.one(&NOUNS),
                "is" | "was" => self.one(&ADJECTIVES),
                "does" => self.one(&VERBS),
                "count" => self.one(&COUNTS),
                "with" => self.one(&TOOLS),
                "name" => self.one(&NAMES),
                "topic" => topic,
                _ => unreachable!("no gap is called {name}"),
            });
            rest = behind;
        }
        filled + rest
    }
}
