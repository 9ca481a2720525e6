#pragma once
/// Catch2, whichever major version is installed.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>  // v3: Approx lives in namespace Catch
using Catch::Approx;
#else
#include <catch2/catch.hpp>  // v2: Approx is global already
#endif
