// `#error` where a `-D` is missing asks for a setting, and says which one: what the conditions around it ask for, and nothing defines. The text is none the worse
// for it, and there is one note for a file. Where no setting is missing, it is an error.
#ifndef WIDTH
#error "define WIDTH"  //~ note[preprocessor-note]@2: 3 `#error` directives ask for settings: `WIDTH`, `BITS`, `SMALL` and `LARGE` are not defined
#endif

#if BITS == 32
#elif BITS == 64
#else
#error unknown size
#endif

#if !defined(SMALL) && !defined(LARGE)
#error
#endif

#define DEPTH 3
#if DEPTH > 2
#error too deep  //~ error[syntax-error]: too deep
#endif

#ifndef GUARD
#define GUARD
#error always  //~ error[syntax-error]: always
#endif
