lessonc_search("he/root", {"build":"37c3f57a","sections":12,"each":6,"levels":1,"top":"0\n!1\n!התש\n!קו"});
