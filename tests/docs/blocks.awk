# C++ from the examples of a page. A block ```cpp that begins with #include stands as it is; any other is the body of a
# function, and the block ```text after it is what the function prints. Errors of the compiler name the page's lines.
/^```cpp$/ { kind = "new"; next }
/^```text$/ { kind = "text"; next }
/^```$/ { if (kind == "body") print "}"; kind = ""; next }
kind == "new" {
  kind = /^#include/ ? "head" : "body"
  if (kind == "body") {
    lines[++count] = FNR
    printf "static void block_%d() {\n", count
  }
  printf "#line %d \"%s\"\n", FNR, FILENAME
}
kind == "text" { expected[count] = expected[count] $0 "\n" }
kind == "head" || kind == "body" { print }
END {
  print "static const TutorialBlock blocks[] = {"
  for (i = 1; i <= count; ++i) printf "{%d, block_%d, R\"page(%s)page\"},\n", lines[i], i, expected[i]
  print "};"
}
