lessonc_search("en/root", {"build":"45c7db94","sections":76,"levels":1,"top":"0\n!0\n!ap\n!el\n!link\n!regis\n!tru"});
