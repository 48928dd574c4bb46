// Prints the digests of profiles for determinism_test.py and golden_digests.txt:
//   print_digests SCHEMA_FOLDER THREADS PROFILE...
// A line for each table, "PROFILE TABLE ROWS DIGEST", and one for all of a profile.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "schema/schema.h"
#include "seed/digest.h"
#include "seed/generator.h"

int main(int argc, char** argv) {
  using namespace shopmark;
  if (argc < 4) {
    std::fprintf(stderr, "usage: print_digests SCHEMA_FOLDER THREADS PROFILE...\n");
    return 2;
  }
  const schema::Schema schema = schema::read_schema(argv[1]);
  const int threads = std::atoi(argv[2]);
  for (int i = 3; i < argc; ++i) {
    const seed::Generator generator(schema, seed::profile(argv[i]));
    std::vector<seed::DigestSink> sinks(static_cast<std::size_t>(threads));
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        for (const seed::Family family : seed::kFamilies) {
          const std::int64_t size = generator.size(family);
          generator.generate(family, size * thread / threads, size * (thread + 1) / threads,
                             sinks[static_cast<std::size_t>(thread)]);
        }
      });
    }
    for (std::thread& thread : running) thread.join();
    seed::Digests digests;
    for (const seed::DigestSink& sink : sinks) seed::merge(digests, sink.digests());

    long long rows = 0;
    for (const auto& [table, digest] : digests) {
      std::printf("%s %s %lld %s\n", argv[i], table.c_str(), static_cast<long long>(digest.rows),
                  digest.hex().c_str());
      rows += digest.rows;
    }
    std::printf("%s all %lld %s\n", argv[i], rows, seed::data_digest(digests).c_str());
  }
  return 0;
}
