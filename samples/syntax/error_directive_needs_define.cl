// `#error` where a `-D` is missing says which one: what the conditions around it ask for, and nothing defines.
#ifndef WIDTH
#error "define WIDTH"  //~ error[syntax-error]: `#error` "define WIDTH": nothing defines `WIDTH`
#endif

#if BITS == 32
#elif BITS == 64
#else
#error unknown size  //~ error[syntax-error]: `#error` unknown size: nothing defines `BITS`
#endif

#if !defined(SMALL) && !defined(LARGE)
#error  //~ error[syntax-error]: `#error`: nothing defines `SMALL` or `LARGE`
#endif

#define DEPTH 3
#if DEPTH > 2
#error too deep  //~ error[syntax-error]: too deep
#endif

#ifndef GUARD
#define GUARD
#error always  //~ error[syntax-error]: always
#endif
