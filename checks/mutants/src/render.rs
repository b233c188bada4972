//! Writes a file with the switches of its mutants.
//!
//! All that belongs to some mutants stands between the comments `/*<17 18*/` and `/*>*/`, so that an error of the compiler leads to them.

use std::ops::Range;

use crate::site::{Form, Site, SourceFile};

/// The whole file.
pub(crate) fn render(file: &SourceFile) -> String {
    let sites = file.sites.iter().filter(|site| !site.mutants.is_empty()).collect::<Vec<_>>();
    piece(&file.text, 0..file.text.len(), &sites)
}

/// A piece of the file. `sites` are in the order of `SourceFile::sites`.
fn piece(text: &str, span: Range<usize>, sites: &[&Site]) -> String {
    let (mut written, mut at) = (String::new(), span.start);
    for (i, site) in sites.iter().enumerate() {
        if site.span.start < at || site.span.end > span.end {
            continue;
        }
        written += &text[at..site.span.start];
        written += &rewritten(text, site, &sites[i + 1..]);
        at = site.span.end;
    }
    written + &text[at..span.end]
}

fn on(id: u32) -> String {
    format!("crate::mutants::on({id})")
}

fn marked(ids: &[u32], text: &str) -> String {
    let ids = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    format!("/*<{ids}*/{text}/*>*/")
}

fn rewritten(text: &str, site: &Site, inner: &[&Site]) -> String {
    let part = |span: &Range<usize>| piece(text, span.clone(), inner);
    // One branch per mutant, and the code as it is.
    let branches = |of: &dyn Fn(&str) -> String, otherwise: String| {
        let each = site.mutants.iter().map(|mutant| {
            let branch = marked(&[mutant.id], &of(&mutant.text));
            format!("if {} {{ {branch} }} else ", on(mutant.id))
        });
        format!("{}{{ {otherwise} }}", each.collect::<String>())
    };
    let first = || on(site.mutants[0].id);
    let new = match &site.form {
        Form::Operator { left, operator, right } => {
            let result = |operator: &str| format!("__l {operator} __r");
            format!("(match ({}, {}) {{ (__l, __r) => {} }})", part(left), part(right), branches(&result, result(operator)))
        }
        Form::Comparison { left, operator, right } => {
            let result = |operator: &str| format!("*__l {operator} *__r");
            format!("(match (&({}), &({})) {{ (__l, __r) => {} }})", part(left), part(right), branches(&result, result(operator)))
        }
        // With the switch on, the left side decides for the other value, and that value comes out.
        Form::Lazy { left, and: true, right } => {
            format!("(if ({}) != {on} {{ {} }} else {{ {on} }})", part(left), part(right), on = first())
        }
        Form::Lazy { left, and: false, right } => {
            format!("(if ({}) != {on} {{ !{on} }} else {{ {} }})", part(left), part(right), on = first())
        }
        Form::Assignment { place, operator, value } => {
            let place = part(place);
            let result = |operator: &str| format!("{place} {operator}= __r");
            format!("(match {} {{ __r => {} }})", part(value), branches(&result, result(operator)))
        }
        Form::Unary { operand } => {
            let operand = part(operand);
            format!("({})", branches(&|_| operand.clone(), format!("{}{operand}", site.mutants[0].text)))
        }
        Form::Body => {
            let leave = |mutant: &crate::site::Mutant| {
                format!(" if {} {{ {} }}", on(mutant.id), marked(&[mutant.id], &format!("return {};", mutant.text)))
            };
            site.mutants.iter().map(leave).collect()
        }
        Form::Arm => format!(" if !{}", first()),
        Form::Guard => site.mutants.iter().fold(format!("({})", part(&site.span)), |guard, mutant| match mutant.text.as_str() {
            "true" => format!("({} || {guard})", on(mutant.id)),
            _ => format!("(!{} && {guard})", on(mutant.id)),
        }),
    };
    marked(&site.mutants.iter().map(|mutant| mutant.id).collect::<Vec<_>>(), &new)
}

/// The innermost mutants whose code is at this byte of a written file.
pub(crate) fn mutants_at(written: &str, byte: usize) -> Vec<u32> {
    let mut around = Vec::new();
    let mut rest = &written[..byte];
    while let Some(at) = rest.find("/*<").into_iter().chain(rest.find("/*>*/")).min() {
        rest = &rest[at..];
        let Some(end) = rest.find("*/") else { break };
        match rest[..end].strip_prefix("/*<") {
            Some(ids) => around.push(ids.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()),
            None => _ = around.pop(),
        }
        rest = &rest[end + 2..];
    }
    around.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{mutants_at, render};
    use crate::find;
    use crate::site::SourceFile;

    /// The text with all its mutants.
    fn written(text: &str) -> String {
        let mut sites = find::sites(text).expect("Rust");
        for (i, mutant) in sites.iter_mut().flat_map(|site| &mut site.mutants).enumerate() {
            mutant.id = i as u32 + 1;
        }
        render(&SourceFile { path: "src/example.rs".into(), text: text.into(), sites })
    }

    /// The same without the comments.
    fn code(text: &str) -> String {
        let written = written(text);
        let pieces = written.split("/*<").map(|piece| piece.split_once("*/").map_or(piece, |(_, code)| code));
        pieces.collect::<String>().replace("/*>*/", "").replace("crate::mutants::on", "on")
    }

    #[test]
    fn sites_are_written_with_their_switches() {
        let of = |expression: &str| {
            let code = code(&format!("fn f() -> &T {{ {expression} }}"));
            code["fn f() -> &T { ".len()..code.len() - 2].to_owned()
        };
        assert_eq!(of("a << 1"), "(match (a, 1) { (__l, __r) => if on(1) { __l >> __r } else { __l << __r } })");
        assert_eq!(of("a == b"), "(match (&(a), &(b)) { (__l, __r) => if on(1) { *__l != *__r } else { *__l == *__r } })");
        assert_eq!(of("a && b"), "(if (a) != on(1) { b } else { on(1) })");
        assert_eq!(of("a || !b"), "(if (a) != on(1) { !on(1) } else { (if on(2) { b } else { !b }) })");
        assert_eq!(of("a <<= 1;"), "(match 1 { __r => if on(1) { a >>= __r } else { a <<= __r } });");
        assert_eq!(
            of("match a { 1 => b, _ if c => d, _ => e }"),
            "match a { 1 if !on(1) => b, _ if (!on(3) && (on(2) || (c))) => d, _ => e }"
        );
        assert_eq!(of("if let A = b && c {}"), "if let A = b && c {}");
        assert_eq!(of("[1; 2 + 3]"), "[1; 2 + 3]");
        assert_eq!(code("fn f() { g() }"), "fn f() { if on(1) { return (); } g() }");
        assert_eq!(code("const fn f() -> u32 { 1 + 2 }"), "const fn f() -> u32 { 1 + 2 }");
        assert_eq!(code("#[cfg(test)] mod tests { fn f() { g() } }"), "#[cfg(test)] mod tests { fn f() { g() } }");
    }

    #[test]
    fn an_error_leads_to_its_mutants() {
        let written = written("fn f() -> &T { (a + b) << c }");
        let at = |text: &str| mutants_at(&written, written.find(text).expect("a part of it") + 1);
        assert_eq!(at("fn f"), [0; 0]);
        assert_eq!(at("__l >>"), [1]);
        assert_eq!(at(", c)"), [1]);
        assert_eq!(at("__l * "), [3]);
        assert_eq!(at("(a, b)"), [2, 3]);
    }
}
