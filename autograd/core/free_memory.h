#pragma once

namespace pinn {

/// Gives the system what this thread keeps of freed pieces and storages for later ones: after work
/// whose sizes do not come again.
void release_free_memory();

/// Of pieces (pool.h) alone.
void release_free_pieces();

}  // namespace pinn
