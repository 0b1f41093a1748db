lessonc_search("en/root", {"build":"791e7691","sections":76,"each":9,"levels":1,"top":"0\n!0\n!da\n!on\n!whet"});
