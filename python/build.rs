//! On macOS the names of Python are looked up where the module is loaded.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
