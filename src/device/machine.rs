//! Turns what the operating system says of this machine into circumstances of a run.
//!
//! Must not let a host name, a user name or a path into them.

use std::collections::BTreeMap;

use crate::evidence::record::Circumstance;

/// What can be told without a GPU; every field that can't be learned is `None` and has its reason in `unknown`.
pub fn circumstance(backend: &str, unknown: &mut BTreeMap<String, String>) -> Circumstance {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let cpu = read("/proc/cpuinfo").unwrap_or_default();
    let host_cpu = cpu_model(&cpu);
    let kernel = read("/proc/sys/kernel/ostype")
        .zip(read("/proc/sys/kernel/osrelease"))
        .map(|(name, release)| format!("{} {}", name.trim(), release.trim()));
    let product = read("/sys/class/dmi/id/product_name").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let hypervisor = hypervisor(&cpu, kernel.as_deref().unwrap_or_default(), product.as_deref());
    for (field, is_missing, why) in [
        ("host_cpu", host_cpu.is_none(), "the operating system does not name the processor"),
        ("kernel", kernel.is_none(), "the operating system does not name its kernel"),
        ("hypervisor", hypervisor.is_none(), "none shows"),
    ] {
        if is_missing {
            unknown.insert(field.into(), why.into());
        }
    }
    Circumstance {
        host_cpu,
        kernel,
        hypervisor,
        lessonc: env!("CARGO_PKG_VERSION").into(),
        cuda_environment: cuda_environment(std::env::vars()),
        backend: backend.into(),
        ..Circumstance::default()
    }
}

fn cpu_model(cpu: &str) -> Option<String> {
    let value = |key: &str| {
        cpu.lines().find(|line| line.starts_with(key)).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    value("model name")
        .or_else(|| value("Model"))
        .or_else(|| value("CPU part").map(|part| format!("Arm part {part}")))
        .filter(|text| !text.is_empty())
}

fn hypervisor(cpu: &str, kernel: &str, product: Option<&str>) -> Option<String> {
    let is_guest =
        cpu.lines().find(|line| line.starts_with("flags")).is_some_and(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
    if kernel.contains("gVisor") || kernel.ends_with(" 4.4.0") {
        return Some("gVisor".into());
    }
    if kernel.contains("-fc-") {
        return Some("Firecracker".into());
    }
    is_guest.then(|| product.map_or_else(|| "a hypervisor that does not name itself".to_owned(), str::to_owned))
}

/// `CUDA_*` variables; those that hold a path are left out.
fn cuda_environment(variables: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    variables.filter(|(name, value)| name.starts_with("CUDA_") && !value.contains(['/', '\\'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_and_the_hypervisor_are_named() {
        let cpu = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t\t: fpu hypervisor sse\n";
        assert_eq!(cpu_model(cpu).as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(cpu_model(""), None);
        assert_eq!(hypervisor(cpu, "Linux 6.1", Some("KVM")).as_deref(), Some("KVM"));
        assert_eq!(hypervisor(cpu, "Linux 6.18.44-fc-v2", None).as_deref(), Some("Firecracker"));
        assert_eq!(hypervisor("flags : fpu", "Linux 6.1", Some("Desktop")), None);
    }

    #[test]
    fn no_path_gets_out_of_the_environment() {
        let variables =
            [("CUDA_VISIBLE_DEVICES", "0"), ("CUDA_HOME", "/opt/cuda"), ("HOME", "x")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(cuda_environment(variables.into_iter()), BTreeMap::from([("CUDA_VISIBLE_DEVICES".into(), "0".into())]));
    }
}
