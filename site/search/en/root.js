lessonc_search("en/root", {"build":"2890b394","sections":76,"each":9,"levels":1,"top":"0\n!0\n!cy\n!on\n!whet"});
