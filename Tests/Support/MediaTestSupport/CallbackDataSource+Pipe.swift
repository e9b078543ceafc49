// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import Synchronization

extension CallbackDataSource {
    /// Returns a source that can be read only once, in order, like a pipe into which some bytes
    /// were written before it was closed.
    package static func pipe(_ bytes: [UInt8]) -> CallbackDataSource {
        let rest = Mutex(bytes[...])
        return CallbackDataSource { buffer in
            rest.withLock { rest in
                let part = rest.prefix(buffer.count)
                buffer.copyBytes(from: part)
                rest = rest.dropFirst(part.count)
                return part.count
            }
        }
    }
}
