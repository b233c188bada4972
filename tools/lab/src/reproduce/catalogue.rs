//! What can be reproduced, and how it is found by name.

use std::fmt::Write;

use super::figure::Figure;
use super::{gissler, koch, pouchol, schornbaum, zhyhallo};
use crate::failure::Failure;

/// A paper, as the report introduces it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paper {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What the paper's numbers were measured on.
    pub(crate) machine: &'static str,
}

pub(crate) const PAPERS: [Paper; 5] = [
    Paper {
        name: "koch",
        title: "Koch 2020: Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse Particle \
                Dynamics",
        machine: "Intel Xeon Gold 5122 at 3.3 GHz; C++, waLBerla",
    },
    Paper {
        name: "zhyhallo",
        title: "Zhyhallo & Woźna-Szcześniak: Better spacial hashing with linear memory usage and parallelism",
        machine: "AMD Ryzen 7 5000, 16 threads, 32 GB",
    },
    Paper {
        name: "schornbaum",
        title: "Schornbaum 2009: Hierarchical Hash Grids for Coarse Collision Detection",
        machine: "Intel Core 2 Duo E6400 at 2.13 GHz; g++ 4.2.1",
    },
    Paper {
        name: "gissler",
        title: "Gissler, Schmedding, Teschner: parallel uniform grids by index sort, cuckoo hashing and Z-curves",
        machine: "Intel Xeon E5430 at 2.66 GHz, 4 cores; scaling on two Xeon X5460, 8 cores; C++, OpenMP",
    },
    Paper {
        name: "pouchol",
        title: "Pouchol et al. 2009: Hierarchical hashing for broad phases and neighbor search",
        machine: "i686 at 2.66 GHz, one core; C++ with the STL",
    },
];

pub(crate) fn all() -> Vec<Figure> {
    [koch::figures(), zhyhallo::figures(), schornbaum::figures(), gissler::figures(), pouchol::figures()].concat()
}

/// All figures of that paper and number; an error says what there is.
pub(crate) fn select(paper: Option<&str>, figure: Option<&str>) -> Result<Vec<Figure>, Failure> {
    let mut figures = all();
    if let Some(paper) = paper {
        figures.retain(|figure| figure.paper == paper);
        if figures.is_empty() {
            let names = PAPERS.map(|paper| paper.name).join(", ");
            return Err(Failure::Usage(format!("there is no paper {paper:?}; there are {names}")));
        }
    }
    if let (Some(paper), Some(wanted)) = (paper, figure) {
        let number = wanted.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let ids: Vec<&str> = figures.iter().map(|figure| figure.id).collect();
        figures.retain(|figure| figure.id == wanted || figure.id == number);
        if figures.is_empty() {
            return Err(Failure::Usage(format!("{paper} has no figure or table {wanted:?}; there are {}", ids.join(", "))));
        }
    }
    Ok(figures)
}

/// What `--list` prints.
pub(crate) fn list(figures: &[Figure]) -> String {
    let mut text = String::new();
    for paper in PAPERS.iter().filter(|paper| figures.iter().any(|figure| figure.paper == paper.name)) {
        writeln!(text, "{}\n  {}", paper.name, paper.title).expect("strings can be written to");
        for figure in figures.iter().filter(|figure| figure.paper == paper.name) {
            writeln!(text, "  {:14} {}", figure.label(), figure.title).expect("strings can be written to");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        let slugs = |paper, figure| select(paper, figure).unwrap().iter().map(Figure::slug).collect::<Vec<_>>();
        assert_eq!(slugs(Some("koch"), Some("3")), ["koch-table-3"]);
        assert_eq!(slugs(Some("koch"), Some("table3")), ["koch-table-3"]);
        assert_eq!(slugs(Some("koch"), None).len(), 11);
        let all = slugs(None, None);
        assert!(PAPERS.iter().all(|paper| all.iter().any(|slug| slug.starts_with(paper.name))));
        let mut unique = all.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
    }
}
