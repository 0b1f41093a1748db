// end snippet
// snippet: empty
// end snippet
// snippet: twice
int a;
// end snippet
// snippet: twice
int b;
// end snippet
// snippet: outer
// snippet: inner
int c;
// end snippet outer
// end snippet inner
const char* s = "// snippet: in-a-string";
/*
// snippet: in-a-comment
*/
// snippet: shown
    int shown = 1;

    int below = 2;
// end snippet
// snippet: open
int d;
