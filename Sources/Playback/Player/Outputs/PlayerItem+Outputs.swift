// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The outputs of an item.
extension PlayerItem {
    /// The outputs of the item, in the order in which they were added. Outputs that were added to
    /// another item later are not included. Any thread.
    ///
    /// - Corresponds to: `AVPlayerItem.outputs`.
    public var outputs: [PlayerItemVideoOutput] {
        keptOutputs.withLock { $0 }.compactMap { $0 as? PlayerItemVideoOutput }
            .filter { $0.pipeline === pipeline }
    }

    /// Adds an output. From then on, the output provides frames of this item only.
    public func add(_ output: PlayerItemVideoOutput) {
        output.attach(to: pipeline)
        keptOutputs.withLock { outputs in
            // Outputs that were added to another item in the meantime belong to that item.
            outputs.removeAll { ($0 as? PlayerItemVideoOutput)?.pipeline !== pipeline }
            if !outputs.contains(where: { $0 === output }) { outputs.append(output) }
        }
    }

    /// Removes an output. After that, the output has no frames.
    public func remove(_ output: PlayerItemVideoOutput) {
        keptOutputs.withLock { $0.removeAll { $0 === output } }
        output.detach(from: pipeline)
    }
}
