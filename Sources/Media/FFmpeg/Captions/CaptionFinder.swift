// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// Finds the services that are present in caption data.
///
/// - Concurrency: one thread at a time.
struct CaptionFinder {
    /// The services that were found.
    private(set) var services: Set<CaptionService> = []
    private var packets = CEA708Packets()

    /// The commands that begin captions. They select a mode, or display the loaded caption.
    private static let beginnings: Set<UInt8> = [0x20, 0x25, 0x26, 0x27, 0x29, 0x2F]

    mutating func read(_ pairs: [CaptionPair]) {
        for pair in pairs {
            switch pair.kind {
            case .firstField:
                services.insert(.line21(1))
                read(pair, channels: (1, 2))
            case .secondField: read(pair, channels: (3, 4))
            case .packetStart, .packetData:
                for block in packets.read(pair) { services.insert(.digital(block.service)) }
            }
        }
    }

    private mutating func read(_ pair: CaptionPair, channels: (Int, Int)) {
        guard pair.first.nonzeroBitCount % 2 == 1, pair.second.nonzeroBitCount % 2 == 1 else {
            return
        }
        let (first, second) = (pair.first & 0x7F, pair.second & 0x7F)
        guard [0x14, 0x15].contains(first & 0x77), Self.beginnings.contains(second) else { return }
        services.insert(.line21(first & 8 == 0 ? channels.0 : channels.1))
    }
}
