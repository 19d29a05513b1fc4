//! The launches of kernels by host code in a unit.

use std::sync::Arc;

use super::{Located, Unit, chunks, locate_origin};
use crate::db::Db;
use crate::preprocess::{Chunk, Launch};

/// A launch, with its location.
#[derive(Clone, Debug)]
pub struct LaunchSite {
    chunk: Arc<Chunk>,
    number: usize,
}

impl LaunchSite {
    pub fn launch(&self) -> &Launch {
        &self.chunk.launches[self.number]
    }

    /// The location of the kernel's name.
    pub fn place(&self, db: &dyn Db) -> Located {
        locate_origin(db, &self.chunk, self.chunk.origins[self.launch().origin as usize])
    }
}

/// The launches of a unit, in source order. The launches of a header that is included twice are listed once.
pub fn launches(unit: &Unit) -> Vec<LaunchSite> {
    let mut all = instantiation_requests(unit);
    all.retain(|site| !site.launch().is_instantiation);
    all
}

/// The launches of a unit and the explicit instantiations of kernel templates, in source order.
pub fn instantiation_requests(unit: &Unit) -> Vec<LaunchSite> {
    let of_chunk = |chunk: Arc<Chunk>| {
        (0..chunk.launches.len()).map(move |number| LaunchSite { chunk: chunk.clone(), number })
    };
    chunks(unit).into_iter().flat_map(of_chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Database;
    use crate::dialect::cuda;
    use crate::items::unit;
    use crate::source::NoHeaders;

    #[test]
    fn launch_is_placed_at_its_kernel_name() {
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings_in(cuda(), &[], &[], &[], cuda().builtins().with(Vec::new()));
        let text =
            "#define GO ns::k<int>\nvoid f() { GO<<<1, 64>>>(); }\nint main() { ns::k<int><<<2, 3>>>(); }";
        let file = db.set_text("k.cu", text);
        let unit = unit(&db, file, settings);
        let found: Vec<(&str, Option<[u32; 3]>)> = launches(unit)
            .iter()
            .map(|launched| {
                let at = launched.place(&db).at;
                (&text[at.range], launched.launch().block)
            })
            .collect();
        assert_eq!(found, [("GO", Some([64, 1, 1])), ("ns", Some([3, 1, 1]))]);
    }
}
