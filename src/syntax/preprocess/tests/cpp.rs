//! The ends of C++ items, the choice of the kept items, and their namespaces.

use proptest::prelude::*;

use super::*;
use crate::dialect::cuda;

fn world(text: &str) -> World {
    let mut world = World::new(&[("main.cu", text)]);
    world.options.dialect = cuda();
    world
}

/// Checks the items, each with its namespace before it.
#[track_caller]
fn check_kept(text: &str, expected: &[&str]) {
    let chunk = world(text).run("main.cu");
    let words = items(&chunk);
    let namespaces = chunk.parts.iter().filter_map(|part| match part {
        Part::Item { namespace, .. } => Some(namespace.to_string()),
        Part::Include(_) => None,
    });
    let found: Vec<String> = namespaces
        .zip(words)
        .map(|(namespace, item)| if namespace.is_empty() { item } else { format!("{namespace}| {item}") })
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// Checks that each text, between two others, is one item that is kept.
#[track_caller]
fn check_whole(texts: &[&str]) {
    for text in texts {
        let before = "__device__ int before ;";
        let after = "__device__ int after ;";
        check_kept(&format!("{before} {text} {after}"), &[before, text, after]);
    }
}

/// The names that are types after a text.
fn types(text: &str) -> Vec<String> {
    let chunk = world(&format!("{text}\n__device__ a, b, c, d, T, U, V, S, f, g;")).run("main.cu");
    let mut last = Vec::new();
    chunk.for_each_item(&mut |_, item, _| last = item.tokens().to_vec());
    last.iter()
        .filter(|token| token.kind == TokenKind::TypeName)
        .map(|token| token.text.to_string())
        .collect()
}

#[test]
fn each_cpp_definition_is_one_item() {
    check_whole(&[
        "__global__ void k ( int * p ) { if ( p ) { ; } }",
        "template < typename T , int N = ( 3 > 2 ) > struct S { T a ; __device__ T f ( ) { return a ; } } ;",
        "template < typename T , int N > struct S < T , N , std :: enable_if_t < is_small ( N ) >> { __device__ void f ( ) { } } ;",
        "template < typename T , typename = std :: enable_if_t < ( sizeof ( T ) > 4 ) >> __device__ T f ( T x ) { return x ; }",
        "template < class T , enable_if_t < is < T > , int >= 0 > __device__ void f ( ) { }",
        "__device__ S :: S ( int a ) : x ( a ) , y { a } , z < int > { 1 } { f ( ) ; }",
        "__device__ S :: S ( ) : B < int > ( 1 ) { }",
        "__device__ auto f ( int a ) -> decltype ( a ) { return a ; }",
        "__device__ bool operator < ( S a , S b ) { return a . x < b . x ; }",
        "__device__ int S :: operator ( ) ( int a ) const noexcept ( true ) { return a ; }",
        "__device__ S & operator = ( S const & other ) { return * this ; }",
        "__device__ void f ( S s = { } , int b = int { 3 } ) { }",
        "__device__ float table [ ] [ 2 ] = { { 1 , 2 } , { 3 , 4 } } ;",
        "__device__ S s { 1 , 2 } ;",
        "__constant__ __align__ ( 16 ) float c [ 4 ] ;",
        "__global__ void __launch_bounds__ ( 256 , 2 ) k ( ) { }",
        "enum class E : unsigned { a , b } ;",
        "struct __align__ ( 8 ) S { int x ; } s , t ;",
        "struct ALIGN ( 16 ) S : A { __device__ void f ( ) ; } ;",
        "ALIGN ( 16 ) struct S { __device__ void f ( ) ; } ;",
        "typedef struct ALIGN ( 16 ) { float x ; } S ;",
        "template < class T > requires ( A < T > ) && ( B < T > ) struct S { } ;",
        "__device__ struct S f ( int a ) { return g ( a ) ; }",
        "class S final : public A < int > , B { public : __device__ void f ( ) ; } ;",
        "template < > struct S < float > { } ;",
        "template < typename T > requires C < T > __device__ void f ( T t ) { }",
        "template < typename T > requires requires ( T t ) { t . x ; } __device__ void f ( T t ) { }",
        "template __global__ void k < float > ( float * ) ;",
        "template struct S < 3 > ;",
        "using X = int ;",
        "using namespace cg ;",
        "template < typename T > using X = S < T , 3 > ;",
        "namespace cg = cooperative_groups ;",
        "static constexpr int n = 3 < 4 ;",
        "constexpr int f ( int x ) { return x * x ; }",
        "template < class T > concept C = requires ( T t ) { t . x ; } ;",
        "extern \"C\" __global__ void k ( ) { }",
        "__device__ auto f = [ ] ( int a ) { return a ; } ;",
    ]);
}

#[test]
fn host_code_is_dropped() {
    for text in [
        "void f ( ) { g ( ) ; }",
        "int main ( ) { k <<< 1 , 2 >>> ( 3 ) ; }",
        "__host__ void f ( ) { }",
        "template < typename T > void f ( T t ) { auto l = [ = ] __device__ ( int i ) { } ; }",
        "void S :: f ( ) const { }",
        "S :: S ( int a ) : x ( a ) { }",
        "int counter = 3 ;",
        "std :: vector < int > all ;",
        "static_assert ( sizeof ( int ) == 4 , \"\" ) ;",
        "TEST ( A , B ) { EXPECT ( 1 ) ; }",
        "INSTANTIATE ( float ) ;",
        "void prototype ( int ) ;",
        ";",
        "\n#pragma unroll\n",
        "asm ( \"\" ) ;",
    ] {
        check_kept(
            &format!("__device__ int a; {text} __device__ int b;"),
            &["__device__ int a ;", "__device__ int b ;"],
        );
    }
    // A function is kept if a macro of a missing header may mark it as device code.
    let hidden = "C10_HOST_DEVICE inline float f ( float x ) { return x ; }";
    check_kept(hidden, &[hidden]);
}

#[test]
fn namespaces_and_extern_blocks_are_not_items() {
    check_kept(
        "namespace a::b { inline namespace v { namespace { __device__ int x; } } extern \"C\" { __device__ int y; } }\n\
         namespace [[deprecated]] c { } NAMESPACE_BEGIN { __device__ int z; } __device__ int w;",
        &[
            // Members of an inline or unnamed namespace are members of the enclosing namespace.
            "a::b| __device__ int x ;",
            "a::b| __device__ int y ;",
            "__device__ int z ;",
            "__device__ int w ;",
        ],
    );
    check_kept("namespace a\n__global__ void k() { }", &["namespace a __global__ void k ( ) { }"]);
    // A redundant `}` has no effect on other items.
    check_kept("namespace a { } } namespace b { __device__ int x; }", &["b| __device__ int x ;"]);
}

#[test]
fn header_items_are_in_the_namespace_of_their_include() {
    let mut world =
        world("namespace a {\n#include \"h\"\n}\n#include \"h\"\n#include \"open\"\n__device__ int z;");
    world.write("h", "__device__ int x;");
    world.write("open", "namespace b {");
    let chunk = world.run("main.cu");
    let mut found = Vec::new();
    let mut parts: Vec<Part> = chunk.parts.iter().rev().cloned().collect();
    while let Some(part) = parts.pop() {
        match part {
            Part::Item { tokens, namespace, .. } => {
                found.push(format!("{namespace}| {}", tokens.tokens()[2].text));
            }
            Part::Include(inner) => parts.extend(inner.parts.iter().rev().cloned()),
        }
    }
    assert_eq!(found, ["a| x", "| x", "b| z"]);
}

#[test]
fn undefined_macro_call_ends_with_its_line() {
    check_kept(
        "INSTANTIATE(float)\nINSTANTIATE(double)\n__global__ void k() {}\nBEGIN_NS\nnamespace a {\n}\nEND(a)\nstruct S {};",
        &["__global__ void k ( ) { }", "struct S { } ;"],
    );
    check_kept("BOUNDS(256)\n__global__ void k() {}", &["__global__ void k ( ) { }"]);
    check_kept("DEVICE_INLINE\nvoid k() {}", &["DEVICE_INLINE void k ( ) { }"]);
}

#[test]
fn missing_bracket_affects_one_item() {
    check_kept(
        "__global__ void f(int x) {\n  if (x) {\n  int y;\n}\nstatic __device__ void g(void) {}\n\
         extern \"C\" __global__ void k() {}\n__device__ int z;",
        &[
            "__global__ void f ( int x ) { if ( x ) { int y ; }",
            "static __device__ void g ( void ) { }",
            "extern \"C\" __global__ void k ( ) { }",
            "__device__ int z ;",
        ],
    );
    check_kept(
        "void host() { if (1) {\n}\nnamespace a {\n__device__ int x;\n}\ntemplate <int N> __device__ void f() {}",
        &["a| __device__ int x ;", "template < int N > __device__ void f ( ) { }"],
    );
    check_kept(
        "struct S { int x; }\n__global__ void k() {}\n__device__ int f(int a {\n}\n__global__ void l() {}",
        &[
            "struct S { int x ; }",
            "__global__ void k ( ) { }",
            "__device__ int f ( int a { }",
            "__global__ void l ( ) { }",
        ],
    );
    // A friend is not a sign of a missing brace.
    let class = "class S { template < int N > friend __global__ void k ( S s ) ; int x ; } ;";
    check_kept(class, &[class]);
}

#[test]
fn cpp_definitions_declare_type_names() {
    assert_eq!(types("struct a; class b { }; union c { int x; }; enum d { e };"), ["a", "b", "c", "d"]);
    assert_eq!(types("template <class X> struct S<X>; template <class X> using T = X;"), ["T", "S"]);
    assert_eq!(types("struct __align__(16) EXPORT S final : T { };"), ["S"]);
    assert_eq!(types("struct S *f(); struct T a;"), ["T", "S"]);
    assert_eq!(types("class S::T { };"), [""; 0]);
    assert_eq!(
        types("typedef Foo<a, b> T; typedef std::pair<int, S> U; typedef S (*V)(a, b);"),
        ["T", "U", "V"]
    );
    assert_eq!(types("typedef struct S { int x; } T; using U = S;"), ["T", "U", "S"]);
    assert_eq!(types("template <class T> void f(T); using namespace S; using ns::T;"), [""; 0]);
}

#[test]
fn item_without_device_keywords_may_be_host_code() {
    let chunk = world("struct S { void f(); }; struct T { __device__ void f(); };").run("main.cu");
    let mut found = Vec::new();
    chunk.for_each_item(&mut |_, tokens, _| found.push(tokens.has_device_keyword()));
    assert_eq!(found, [false, true]);
}

/// The launches of a text: kernel, template arguments, grid and block.
fn launches(text: &str) -> Vec<String> {
    let chunk = world(text).run("main.cu");
    let spelled = |tokens: &[tangle_grammar::token::Token]| {
        tokens.iter().map(|token| spelling(token.kind, token.text)).collect::<String>()
    };
    let size = |size: Option<[u32; 3]>| size.map_or("?".into(), |[x, y, z]| format!("{x}x{y}x{z}"));
    chunk
        .launches
        .iter()
        .map(|launch| {
            let place = world(text).place(chunk.origins[launch.origin as usize]);
            let line = place.split(':').nth(1).unwrap_or_default().to_owned();
            let arguments =
                launch.template_arguments.as_deref().map_or(String::new(), |it| format!("<{}>", spelled(it)));
            format!(
                "{line}: {}{arguments} {} {}",
                spelled(&launch.kernel),
                size(launch.grid),
                size(launch.block)
            )
        })
        .collect()
}

#[test]
fn kernel_launches_are_recorded() {
    let body = |body: &str| launches(&format!("void f(int n) {{\n{body}\n}}"));
    assert_eq!(body("k<<<1, 256>>>(p);"), ["2: k 1x1x1 256x1x1"]);
    assert_eq!(body("a::b::k<float, N*2><<<n, dim3(16, 8), 0, s>>>(p);"), ["2: a::b::k<float,N*2> ? 16x8x1"]);
    assert_eq!(body("::k<S<int>><<<dim3{2, 3, 4}, 32 * 4>>>();"), ["2: ::k<S<int>> 2x3x4 128x1x1"]);
    assert_eq!(
        body("const int t = 64;\ndim3 block(t, 4), other;\nconstexpr auto g = t + 1;\nk<<<g, block>>>();"),
        ["5: k 65x1x1 64x4x1"]
    );
    // A variable that may change has no known value.
    assert_eq!(body("int t = 64; t /= 2; k<<<1, t>>>();"), ["2: k 1x1x1 ?"]);
    assert_eq!(body("int t = 64; set(&t); k<<<1, t>>>();"), ["2: k 1x1x1 ?"]);
    assert_eq!(body("dim3 b(64); b.y = n; k<<<1, b>>>();"), ["2: k 1x1x1 ?"]);
    assert_eq!(body("dim3 b = dim3(64, 2); dim3 g{7}; k<<<g, b>>>();"), ["2: k 7x1x1 64x2x1"]);
    assert_eq!(body("int t = t; k<<<u, t>>>();"), ["2: k ? ?"]);
    assert_eq!(
        body(
            "hipLaunchKernelGGL(k, dim3(1), dim3(256), 0, 0, p);\nhipLaunchKernelGGL(HIP_KERNEL_NAME(k<int, 3>), g, 64, 0, 0);"
        ),
        ["2: k 1x1x1 256x1x1", "3: k<int,3> ? 64x1x1"]
    );
    assert_eq!(body("cudaLaunchCooperativeKernel((void *)k<3>, 1, 32, args);"), ["2: k<3> 1x1x1 32x1x1"]);
    assert_eq!(body("x = a << b; (*f)<<<1, 2>>>(); fs[1]<<<1, 2>>>();"), [""; 0]);
    // Explicit instantiations.
    assert_eq!(
        launches(
            "template __global__ void __launch_bounds__(64) a::k<int, 3 * 2>(int *p);\nextern template void k<S<T>>();"
        ),
        ["1: a::k<int,3*2> ? ?", "2: k<S<T>> ? ?"]
    );
    assert_eq!(launches("template struct S<int>; template <int N> __global__ void k() { f<N>(); }"), [""; 0]);
    // In a class that is kept, and in a lambda.
    assert_eq!(
        launches("struct S { __device__ int x;\nvoid f() { auto l = [&] { k<<<1, 2>>>(); }; } };"),
        ["2: k 1x1x1 2x1x1"]
    );
}

#[test]
fn macro_errors_in_host_code_are_not_reported() {
    let world =
        world("#define P(x) x\nvoid f() { P(1, 2); }\n__device__ void g() { P(1, 2); }\n#if 1\nvoid h() { }");
    let found = world.problems(&world.run("main.cu"));
    assert_eq!(
        found,
        [
            "main.cu:3:P: macro `P` takes 1 argument, but 2 were passed",
            "main.cu:4:if: unterminated conditional directive: `#endif` is missing"
        ]
    );
}

#[test]
fn known_headers_are_not_reported_as_missing() {
    let text = "#include <cuda_runtime.h>\n#include <cub/block/block_reduce.cuh>\n#include \"own.h\"\n\
                #if __has_include(<cooperative_groups.h>)\n__device__ int x;\n#endif\n#include <vector>\n";
    let world = world(text);
    let chunk = world.run("main.cu");
    assert_eq!(items(&chunk), ["__device__ int x ;"]);
    let missing: Vec<&ProblemKind> = chunk.problems.iter().map(|problem| &problem.kind).collect();
    assert!(matches!(
        missing[..],
        [
            ProblemKind::KnownHeader { .. },
            ProblemKind::KnownHeader { .. },
            ProblemKind::MissingInclude { .. },
            ProblemKind::KnownHeader { .. }
        ]
    ));
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "template <",
        "namespace a {",
        "}",
        "{",
        "(",
        "k<<<",
        "<<<",
        "> <<<",
        "__global__ void k() {\n",
        "a b c ",
        "M(a)\n",
        "struct {",
        "typedef a<",
        "int a = ",
        "extern \"C\" {",
        "k<<<a, ",
        "hipLaunchKernelGGL(",
        ";\n__device__ {\n",
        "struct A {\n__global__ ",
        "x = x + ",
        "dim3 a(b); dim3 b(a); k<<<a, b>>>();",
        ": a{",
        "requires (",
        "class a ",
    ] {
        let text = piece.repeat(100_000);
        world(&text).run("main.cu");
        world(&format!("void f() {{ {text}")).run("main.cu");
    }
}

/// Fragments of C++, in any order.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "__global__ void k() {",
        "}",
        "{",
        "(",
        ")",
        ";",
        "=",
        "<",
        ">",
        ">>",
        "a",
        "S",
        "::",
        ":",
        ",",
        "[",
        "]",
        "\n",
        "\n",
        "\n",
        "template <",
        "typename T",
        "namespace a {",
        "namespace",
        "inline",
        "extern \"C\"",
        "struct S",
        "class",
        "enum",
        "using U =",
        "typedef",
        "__device__",
        "static",
        "int",
        "f(",
        "operator",
        "requires",
        "k<<<1, b>>>(p);",
        "dim3 b(3)",
        "const",
        "M(x)",
        "#pragma pack(1)\n",
        "return",
        "constexpr",
        "static_assert(1);",
        "hipLaunchKernelGGL(k, 1, 2)",
    ]);
    prop::collection::vec(fragment, 0..60).prop_map(|list| list.join(" "))
}

proptest! {
    #[test]
    fn every_kernel_is_kept_in_random_code(one in fragments(), header in fragments(), two in fragments()) {
        let text = format!("{one}\n#include \"h\"\n{two}");
        let mut world = world(&text);
        world.write("h", &header);
        let chunk = world.run("main.cu");
        prop_assert_eq!(&chunk, &world.run("main.cu"));
        prop_assert_eq!(&chunk, &preprocess(&world, &world.options, &Cache::new(), world.names["main.cu"]));
        let kernels = items(&chunk).iter().map(|item| item.matches("__global__").count()).sum::<usize>();
        prop_assert_eq!(kernels, text.matches("__global__").count() + header.matches("__global__").count());
        // The range of an item contains its tokens, and the ranges of items do not overlap.
        let mut end = 0;
        for part in &chunk.parts {
            if let Part::Item { origins, .. } = part {
                prop_assert!(end <= origins.start && origins.start < origins.end);
                end = origins.end;
            }
        }
        prop_assert!(end as usize <= chunk.origins.len());
        for launch in &chunk.launches {
            prop_assert!((launch.origin as usize) < chunk.origins.len());
        }
    }
}
