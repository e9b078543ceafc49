// SPDX-License-Identifier: Apache-2.0

/// The parameters that describe video without compression, with the numbers of PipeWire's format.
package enum PipeWireVideo {
    /// The identifiers of parameters.
    package static let (format, buffers) = (UInt32(4), UInt32(5))
    private static let (formats, metadata) = (UInt32(3), UInt32(6))
    /// The types of objects.
    private static let (formatType, buffersType, metadataType) = (
        UInt32(0x40003), UInt32(0x40004), UInt32(0x40005)
    )
    /// The keys of a format.
    private static let (mediaType, mediaSubtype) = (UInt32(1), UInt32(2))
    private static let (pixelFormat, size, frameRate, maximumFrameRate) = (
        UInt32(0x20001), UInt32(0x20003), UInt32(0x20004), UInt32(0x20005)
    )
    private static let largestSide: UInt32 = 16384
    /// The kinds of metadata: time and flags, and the visible part.
    package static let (header, crop) = (UInt32(1), UInt32(2))
    /// Bytes in memory: of this process, or of a file without a name.
    package static let (memory, file) = (UInt32(1), UInt32(2))

    /// The order of the bytes of a pixel.
    package enum Pixels: UInt32, Sendable, CaseIterable {
        case bgrx = 8
        case bgra = 12
        case rgbx = 7
        case rgba = 11

        /// A Boolean value that indicates whether the first byte is red.
        var isRedFirst: Bool { self == .rgbx || self == .rgba }
    }

    /// A format on which both sides have agreed.
    package struct Format: Sendable, Hashable {
        package var pixels: Pixels
        package var width: Int
        package var height: Int

        package init(pixels: Pixels, width: Int, height: Int) {
            self.pixels = pixels
            self.width = width
            self.height = height
        }

        /// Reads a format; nil if it is another kind of format.
        package init?(_ pod: Pod) {
            guard case .identifier(let number)? = pod[pixelFormat],
                let pixels = Pixels(rawValue: number),
                case .rectangle(let width, let height)? = pod[PipeWireVideo.size],
                (1...largestSide).contains(width), (1...largestSide).contains(height)
            else { return nil }
            self.init(pixels: pixels, width: Int(width), height: Int(height))
        }
    }

    /// The formats that a consumer accepts. A producer sends frames when something has changed, no
    /// faster than the rate if it knows limits.
    package static func acceptedFormats(framesPerSecond: UInt32) -> [Pod] {
        let sizes = Pod.choice(
            .range,
            [
                .rectangle(width: 1920, height: 1080), .rectangle(width: 1, height: 1),
                .rectangle(width: largestSide, height: largestSide),
            ])
        let limit = Pod.choice(
            .range,
            [.fraction(framesPerSecond, 1), .fraction(1, 1), .fraction(framesPerSecond, 1)])
        let pixels = Pixels.allCases.map { Pod.identifier($0.rawValue) }
        return [[Pod.Property(maximumFrameRate, limit)], []].map { limits in
            object(
                formatType, formats,
                [
                    Pod.Property(mediaType, .identifier(2)),
                    Pod.Property(mediaSubtype, .identifier(1)),
                    Pod.Property(pixelFormat, .choice(.list, pixels.prefix(1) + pixels)),
                    Pod.Property(size, sizes),
                    Pod.Property(
                        frameRate,
                        .choice(.range, [.fraction(0, 1), .fraction(0, 1), .fraction(1000, 1)])),
                ] + limits)
        }
    }

    /// The format that a producer offers, at rates that vary.
    package static func offeredFormat(_ format: Format) -> Pod {
        object(
            formatType, formats,
            [
                Pod.Property(mediaType, .identifier(2)), Pod.Property(mediaSubtype, .identifier(1)),
                Pod.Property(pixelFormat, .identifier(format.pixels.rawValue)),
                Pod.Property(
                    size,
                    .rectangle(width: UInt32(format.width), height: UInt32(format.height))),
                Pod.Property(frameRate, .fraction(0, 1)),
                Pod.Property(
                    maximumFrameRate,
                    .choice(.range, [.fraction(60, 1), .fraction(1, 1), .fraction(60, 1)])),
            ])
    }

    /// The buffers and the metadata that a consumer accepts: frames in memory, with times.
    package static let acceptedBuffers = [
        object(
            buffersType, buffers,
            [Pod.Property(6, .choice(.flags, [.int(1 << Int32(memory) | 1 << Int32(file))]))]),
        metadata(header, size: 32), metadata(crop, size: 16),
    ]

    /// The buffers that a producer fills.
    package static func offeredBuffers(_ format: Format) -> [Pod] {
        let bytesPerRow = Int32(format.width * 4)
        return [
            object(
                buffersType, buffers,
                [
                    Pod.Property(1, .choice(.range, [.int(8), .int(2), .int(16)])),
                    Pod.Property(2, .int(1)),
                    Pod.Property(3, .int(bytesPerRow * Int32(format.height))),
                    Pod.Property(4, .int(bytesPerRow)),
                    Pod.Property(6, .choice(.flags, [.int(1 << Int32(file))])),
                ]),
            metadata(header, size: 32), metadata(crop, size: 16),
        ]
    }

    private static func metadata(_ kind: UInt32, size: Int32) -> Pod {
        object(
            metadataType, metadata,
            [Pod.Property(1, .identifier(kind)), Pod.Property(2, .int(size))])
    }

    private static func object(
        _ type: UInt32, _ identifier: UInt32, _ properties: [Pod.Property]
    ) -> Pod { .object(type: type, identifier: identifier, properties) }
}
