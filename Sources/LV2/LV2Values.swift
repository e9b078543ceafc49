// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The values of a tap's parameters.
///
/// - Concurrency: any thread. Reading and writing neither lock nor wait.
final class LV2Values: @unchecked Sendable {
    // Unchecked: the storage is atomic, and the rest is constant.

    let parameters: [LV2Parameter]
    private let indices: [String: Int]
    /// The bit patterns of the values.
    let bits: UnsafeMutablePointer<Atomic<UInt32>>

    /// Creates the default values.
    init(_ parameters: [LV2Parameter]) {
        self.parameters = parameters
        indices = Dictionary(
            parameters.enumerated().map { ($1.symbol, $0) },
            uniquingKeysWith: { first, _ in first })
        bits = .allocate(capacity: parameters.count)
        for (index, parameter) in parameters.enumerated() {
            (bits + index).initialize(to: Atomic(parameter.defaultValue.bitPattern))
        }
    }

    deinit {
        bits.deinitialize(count: parameters.count)
        bits.deallocate()
    }

    func index(of symbol: String) -> Int? { indices[symbol] }

    subscript(index: Int) -> Float {
        get { Float(bitPattern: bits[index].load(ordering: .relaxed)) }
        set { bits[index].store(newValue.bitPattern, ordering: .relaxed) }
    }
}
