//! One engine, many scenes: what it finds in each is what brute force finds.

use pivotgrid::{BroadPhase, Pair};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::settings::{config, pool};

const MOST_OBJECTS: usize = 120;
const MOST_STEPS: usize = 6;

pub fn run(data: &[u8]) {
    crate::in_some_space!(scenes, data);
}

fn scenes<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let config = config(bytes);
    let in_order = config.canonical_order;
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a valid config");
    let grouped = bytes.below(3) == 0;
    let mut objects: Vec<Plain<S, D>> = Vec::new();
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        change(&mut objects, bytes, grouped);
        let way = bytes.byte();
        if way % 8 == 7 {
            let (first, second) = objects.split_at(objects.len() / 2);
            let found = pool(usize::from(way >> 3)).install(|| engine.over(first).against(second).pairs());
            assert_eq!(found.sorted(), plain::pairs_between(first, second), "{first:?} against {second:?}");
            continue;
        }
        let expected = plain::pairs(&objects);
        let found = match way % 8 {
            0 | 1 => pool(usize::from(way >> 3)).install(|| engine.par_detect(&objects)),
            _ => engine.detect(&objects),
        };
        assert_eq!(found.rejected(), plain::rejected(&objects), "{objects:?}");
        assert_eq!(found.len(), expected.len(), "{objects:?}");
        if in_order {
            assert_eq!(found.iter().collect::<Vec<Pair>>(), expected, "{objects:?}");
        }
        assert_eq!(found.sorted(), expected, "{objects:?}");
        let stats = engine.stats();
        assert_eq!((stats.objects, stats.pairs), (objects.len(), expected.len()));
    }
}

/// What may happen to a scene between two steps.
fn change<S: Number, const D: usize>(objects: &mut Vec<Plain<S, D>>, bytes: &mut Bytes<'_>, grouped: bool) {
    let (what, count) = (bytes.below(8), bytes.below(64));
    match what {
        0 => {
            objects.clear();
            objects.extend(Plain::several(bytes, count, grouped));
        }
        1 | 2 => objects.extend(Plain::several(bytes, count, grouped)),
        3 => objects.truncate(count),
        4 => {
            let shift: [S; D] = bytes.point();
            for object in objects.iter_mut().skip(count / 2) {
                for axis in 0..D {
                    object.low[axis] = object.low[axis] + shift[axis];
                    object.high[axis] = object.high[axis] + shift[axis];
                }
            }
        }
        // All once more, somewhere else: many objects for few bytes.
        5 => {
            let shift: [S; D] = bytes.point();
            let copies: Vec<_> = objects.iter().map(|object| moved(object, &shift)).collect();
            objects.extend(copies);
        }
        6 if count < objects.len() => objects[count] = Plain::new(bytes, grouped),
        _ => objects.reverse(),
    }
    objects.truncate(MOST_OBJECTS);
}

fn moved<S: Number, const D: usize>(object: &Plain<S, D>, shift: &[S; D]) -> Plain<S, D> {
    let by = |corner: &[S; D]| std::array::from_fn(|axis| corner[axis] + shift[axis]);
    Plain { low: by(&object.low), high: by(&object.high), ..*object }
}
