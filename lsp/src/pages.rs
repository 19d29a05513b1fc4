//! The pages of the rules as files. Every editor can then open the link of a diagnostic code without a network.

use std::path::PathBuf;
use std::sync::LazyLock;

use tangle_rules::{RULES, rule};
use tower_lsp::lsp_types::Url;

/// The folder of the pages, or `None` if they cannot be written.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(write);

/// Returns the URI of a rule's page.
pub fn address(id: &str) -> Option<Url> {
    rule(id)?;
    Url::from_file_path(FOLDER.as_ref()?.join(format!("{id}.md"))).ok()
}

/// Writes all pages. An existing page is replaced atomically, because another server may be reading it.
fn write() -> Option<PathBuf> {
    let folder = cache()?.join("tangle").join(concat!("rules-", env!("CARGO_PKG_VERSION")));
    std::fs::create_dir_all(&folder).ok()?;
    for rule in RULES {
        let path = folder.join(format!("{}.md", rule.id));
        if std::fs::read(&path).is_ok_and(|known| known == rule.page.as_bytes()) {
            continue;
        }
        let new = folder.join(format!("{}.{}", rule.id, std::process::id()));
        std::fs::write(&new, rule.page).ok()?;
        std::fs::rename(&new, &path).ok()?;
    }
    Some(folder)
}

/// Returns the user's cache folder.
fn cache() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    from("XDG_CACHE_HOME")
        .or_else(|| from("LOCALAPPDATA"))
        .or_else(|| from("HOME").map(|home| home.join(".cache")))
        .or_else(|| Some(std::env::temp_dir()))
}
