//! Finds the sites of all source files.
//!
//! Left out, because a switch cannot stand there: constants and `const fn`, array lengths, patterns, generic arguments, macros. Left out as
//! cargo-mutants does: tests, `unsafe fn`, `Default`. Left out because no test can tell: what only prints (`Debug`) or prefetches, the
//! faults that `checks/planted` injects, and code that is not compiled here or that this processor does not run.

use std::ops::Range;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Pat, Signature, UnOp};

use crate::conditions::is_compiled;
use crate::replace::{operators, values};
use crate::site::{Form, Mutant, Site, SourceFile};

/// Files without mutants: tests, faults, and instruction sets of other processors.
fn is_left_out(path: &str) -> bool {
    let other_set = |name: &str, runs: bool| path == format!("src/isa/{name}.rs") && !runs;
    #[cfg(target_arch = "x86_64")]
    let (avx2, avx512, arm) = (is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512f"), false);
    #[cfg(not(target_arch = "x86_64"))]
    let (avx2, avx512, arm) = (false, false, cfg!(target_arch = "aarch64"));
    ["src/faults.rs", "src/runtime/prefetch.rs", "src/kernel/tests.rs", "src/query/work.rs", "src/query/hostile_work.rs"]
        .contains(&path)
        || other_set("neon", arm)
        || other_set("simd128", false)
        || other_set("avx2", avx2)
        || other_set("avx512", avx512)
        || other_set("sse2", cfg!(target_arch = "x86_64"))
}

/// All files of `src` with all their mutants, numbered.
pub(crate) fn files(root: &Path) -> Result<Vec<SourceFile>, String> {
    let mut paths = Vec::new();
    walk(&root.join("src"), &mut paths)?;
    paths.sort();
    let mut next = 0;
    let mut files = Vec::new();
    for path in paths {
        let relative = path.strip_prefix(root).map_err(|error| error.to_string())?;
        if is_left_out(&relative.to_string_lossy()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut sites = sites(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        for mutant in sites.iter_mut().flat_map(|site| &mut site.mutants) {
            next += 1;
            mutant.id = next;
        }
        files.push(SourceFile { path: relative.to_owned(), text, sites });
    }
    Ok(files)
}

/// The sites of a file, in order, without numbers.
pub(crate) fn sites(text: &str) -> syn::Result<Vec<Site>> {
    let mut finder = Finder { text, names: Vec::new(), sites: Vec::new() };
    finder.visit_file(&syn::parse_file(text)?);
    finder.sites.sort_by_key(|site| (site.span.start, !site.span.is_empty(), usize::MAX - site.span.end));
    Ok(finder.sites)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

struct Finder<'a> {
    text: &'a str,
    /// The types and functions around.
    names: Vec<String>,
    sites: Vec<Site>,
}

fn bytes(of: &impl Spanned) -> Range<usize> {
    of.span().byte_range()
}

/// Whether it is, or begins, a chain with `let`, whose operands are no values.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl Finder<'_> {
    fn add(&mut self, span: Range<usize>, form: Form, texts: impl IntoIterator<Item = (String, String)>) {
        let mutants = texts.into_iter().map(|(text, what)| Mutant { id: 0, text, what }).collect();
        self.sites.push(Site { span, form, mutants, function: self.names.join("::") });
    }

    fn operators(&mut self, span: Range<usize>, operator: &str, equals: &str, form: Form) {
        let texts = operators(operator).iter().map(|new| ((*new).to_owned(), format!("{operator}{equals} by {new}{equals}")));
        self.add(span, form, texts);
    }

    /// A function, and with it what is inside.
    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        let name = signature.ident.to_string();
        let is_left_out =
            signature.constness.is_some() || signature.unsafety.is_some() || name.contains("prefetch") || name == "injected";
        if is_left_out || !is_compiled(attributes) {
            return;
        }
        self.names.push(name);
        if !block.stmts.is_empty() {
            let texts = values(&signature.output).into_iter().map(|value| (value.clone(), format!("the body by {value}")));
            let start = block.brace_token.span.open().byte_range().end;
            self.add(start..start, Form::Body, texts);
        }
        visit::visit_block(self, block);
        self.names.pop();
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|last| last.ident.to_string());
        if !is_compiled(&item.attrs) || of.is_some_and(|name| name == "Debug" || name == "Default") {
            return;
        }
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.names.push(name.unwrap_or_else(|| "_".into()));
        visit::visit_item_impl(self, item);
        self.names.pop();
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_compiled(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.names.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.names.pop();
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if is_compiled(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_expr_block(&mut self, block: &'ast syn::ExprBlock) {
        if is_compiled(&block.attrs) {
            visit::visit_expr_block(self, block);
        }
    }

    // What is evaluated by the compiler, and what is no expression.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let (span, left, right) = (bytes(binary), bytes(&binary.left), bytes(&binary.right));
        let operator = self.text[bytes(&binary.op)].to_owned();
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                if !has_let(&binary.left) && !has_let(&binary.right) {
                    let and = operator == "&&";
                    self.operators(span, &operator, "", Form::Lazy { left, and, right });
                }
            }
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                self.operators(span, &operator.clone(), "", Form::Comparison { left, operator, right });
            }
            _ => match operator.strip_suffix('=') {
                Some(operator) => {
                    let form = Form::Assignment { place: left, operator: operator.to_owned(), value: right };
                    self.operators(span, operator, "=", form);
                }
                None => self.operators(span, &operator.clone(), "", Form::Operator { left, operator, right }),
            },
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let name = match unary.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => "",
        };
        if !name.is_empty() {
            self.add(
                bytes(unary),
                Form::Unary { operand: bytes(&unary.expr) },
                [(name.to_owned(), format!("{name} by nothing"))],
            );
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, matching: &'ast syn::ExprMatch) {
        let is_rest = |arm: &syn::Arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none();
        let has_rest = matching.arms.iter().any(is_rest);
        for arm in &matching.arms {
            match &arm.guard {
                Some((_, guard)) if !has_let(guard) => {
                    let texts = ["true", "false"].map(|value| (value.to_owned(), format!("the guard by {value}")));
                    self.add(bytes(guard), Form::Guard, texts);
                }
                None if has_rest && !is_rest(arm) => {
                    let span = bytes(&arm.pat);
                    let what =
                        format!("the arm {} by none", self.text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" "));
                    self.add(span.end..span.end, Form::Arm, [(String::new(), what)]);
                }
                _ => {}
            }
        }
        visit::visit_expr_match(self, matching);
    }
}
