// snippet: one
int a;
// end snippet
