//! The accesses of one execution that no barrier has ordered yet, and the races among them.
//!
//! **Seen by**: the lanes whose next accesses are ordered after an access, because they took part in a barrier after it.
//! Barriers are transitive: a lane that has seen an access passes it on at its next barrier.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use super::number::{AtomId, Computed, LANES, Lanes, Memory, Offsets, Terms, UNIFORM, each_lane};
use super::race::{Place, Race};

/// The greatest number of unordered accesses to one object that are kept.
const MAX_ACCESSES: usize = 128;

/// An access of some lanes.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub place: Place,
    pub stores: bool,
    pub lanes: Lanes,
    /// The atom of the base address.
    pub object: AtomId,
    pub terms: Terms,
    pub offsets: Offsets,
    /// Whether each lane accesses an unknown element.
    pub is_scattered: bool,
    /// The number of bytes.
    pub size: i64,
    pub memory: Memory,
    /// Whether it stores the same value in all lanes.
    pub stores_one_value: bool,
    /// How many consecutive lanes surely get here together, if an unknown condition decides which lanes do.
    pub together: u32,
}

/// An access, and for each of its lanes the lanes that have seen it.
struct Unordered {
    access: Access,
    seen_by: [Lanes; LANES],
}

/// The unordered accesses, by object.
#[derive(Default)]
pub(super) struct AccessLog {
    unordered: FxHashMap<AtomId, Vec<Unordered>>,
    pub races: Vec<Race>,
}

impl AccessLog {
    /// Adds an access, and a race with each earlier access that it is not ordered after.
    pub fn add(&mut self, access: Access) {
        let others = self.unordered.entry(access.object).or_default();
        let mut is_known = false;
        for other in others.iter() {
            is_known |= other.access.is_same(&access) && other.is_unseen();
            if other.access.stores == access.stores {
                continue;
            }
            if let Some((first_lane, second_lane)) = other.meets(&access) {
                self.races.push(Race {
                    first: other.access.place,
                    second: access.place,
                    first_lane,
                    second_lane,
                    first_stores: other.access.stores,
                    is_certain: !access.is_scattered && !other.access.is_scattered,
                    shared: match access.memory {
                        Memory::Shared(name) => Some(name),
                        _ => None,
                    },
                });
            }
        }
        if !is_known {
            if others.len() == MAX_ACCESSES {
                others.remove(0);
            }
            others.push(Unordered { access, seen_by: [0; LANES] });
        }
    }

    /// Orders the accesses of lanes that execute a barrier together.
    pub fn barrier(&mut self, lanes: Lanes) {
        if lanes == Lanes::MAX {
            return self.order_all();
        }
        for others in self.unordered.values_mut() {
            for other in others.iter_mut() {
                for lane in each_lane(other.access.lanes) {
                    if (other.seen_by[lane] | 1 << lane) & lanes != 0 {
                        other.seen_by[lane] |= lanes;
                    }
                }
            }
            others.retain(|other| {
                each_lane(other.access.lanes).any(|lane| other.seen_by[lane] | 1 << lane != Lanes::MAX)
            });
        }
    }

    /// Orders all accesses before all later ones.
    pub fn order_all(&mut self) {
        self.unordered.clear();
    }
}

impl Access {
    fn is_same(&self, other: &Access) -> bool {
        self.place == other.place
            && self.lanes == other.lanes
            && self.size == other.size
            && self.together == other.together
            && self.offsets == other.offsets
            && self.terms == other.terms
    }
}

impl Unordered {
    fn is_unseen(&self) -> bool {
        self.seen_by.iter().all(|seen| *seen == 0)
    }

    /// Returns a lane of this access and another lane of a later one that touch the same byte, and are not ordered.
    fn meets(&self, later: &Access) -> Option<(usize, usize)> {
        let Access { offsets, lanes, size, terms, .. } = &self.access;
        let is_scattered = self.access.is_scattered || later.is_scattered;
        if !is_scattered && *terms != later.terms {
            return None;
        }
        // If both need an unknown condition, it may hold in these lanes only.
        let together = self.access.together.max(later.together);
        each_lane(*lanes).find_map(|first| {
            let tile = Lanes::MAX >> (UNIFORM - together) << (first - first % together as usize);
            let unaware = later.lanes & tile & !(self.seen_by[first] | 1 << first);
            let overlaps = |second: &usize| {
                let distance = later.offsets.at(*second).wrapping_sub(offsets.at(first));
                // A lane that stored the value itself reads it from any lane.
                let has_stored = self.access.stores_one_value
                    && lanes >> second & 1 != 0
                    && offsets.at(*second) == offsets.at(first);
                let meets = distance < *size && distance.wrapping_neg() < later.size;
                is_scattered || meets && !has_stored
            };
            Some((first, each_lane(unaware).find(overlaps)?))
        })
    }
}

/// The values in private memory, by object and offset in bytes.
#[derive(Default)]
pub(super) struct PrivateMemory {
    objects: IndexVec<AtomId, Vec<(i64, Computed)>>,
}

impl PrivateMemory {
    fn object(&mut self, object: AtomId) -> &mut Vec<(i64, Computed)> {
        while self.objects.len() <= usize::from(object) {
            self.objects.push(Vec::new());
        }
        &mut self.objects[object]
    }

    /// Returns the value at an offset, to read or write it.
    pub fn at(&mut self, object: AtomId, offset: i64) -> &mut Computed {
        let values = self.object(object);
        match values.iter().position(|(at, _)| *at == offset) {
            Some(known) => &mut values[known].1,
            None => {
                values.push((offset, Default::default()));
                let last = values.len() - 1;
                &mut values[last].1
            }
        }
    }

    /// Forgets the values of an object.
    pub fn forget(&mut self, object: AtomId) {
        self.object(object).clear();
    }

    /// Copies a part of an object.
    pub fn copy(&mut self, (to, at): (AtomId, i64), (from, first): (AtomId, i64), size: i64) {
        let is_copied = |offset: i64| (first..first.saturating_add(size)).contains(&offset);
        let copied: Vec<_> =
            self.object(from).iter().filter(|(offset, _)| is_copied(*offset)).cloned().collect();
        let written = |offset: i64| (at..at.saturating_add(size)).contains(&offset);
        let values = self.object(to);
        values.retain(|(offset, _)| !written(*offset));
        values.extend(copied.into_iter().map(|(offset, value)| (offset - first + at, value)));
    }
}
