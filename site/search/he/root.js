lessonc_search("he/root", {"build":"c440e153","sections":12,"levels":1,"top":"0\n!1\n!בסי\n!חצ\n!סופ"});
