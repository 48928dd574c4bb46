// Seeding a server, compared with its own bulk command.

#pragma once

#include "fixtures/engine/engine.h"
#include "schema/schema.h"
#include "seed/generator.h"

namespace shopmark::bench {

// Prints both, their ratio and the seeder's peak memory; 1 when over a bar, else 0. Works in two
// databases beside the target's, on the same server, which it makes and drops. Throws
// std::exception.
int compare_with_bulk_command(const engine::Target& target, const schema::Schema& schema,
                              const seed::Generator& generator, int rounds);

}  // namespace shopmark::bench
