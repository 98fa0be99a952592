#include <gumbo.h>
#include <malloc.h>
