// SPDX-License-Identifier: Apache-2.0

/// The icons of buttons. They are shapes, which can be drawn sharply at any size.
enum Icon: Sendable, Hashable, CaseIterable {
    case play, pause, replay, back, forward
    case volumeHigh, volumeLow, volumeMuted
    case audio, subtitles, chapters
    case fullscreen, leaveFullscreen
    case check, note
    case folded, unfolded

    var shape: IconShape {
        switch self {
        case .play: Self.triangle(at: SIMD2(7.2, 12), width: 12, height: 14)
        case .pause:
            .union([
                .rectangle(SIMD2(8.2, 12), size: SIMD2(4, 15), radius: 1.2),
                .rectangle(SIMD2(15.8, 12), size: SIMD2(4, 15), radius: 1.2),
            ])
        case .replay:
            .union([
                .arc(SIMD2(12, 12.5), radius: 7, width: 2, from: -35, to: 240),
                .polygon([SIMD2(7.2, 2.6), SIMD2(7.2, 8.6), SIMD2(12.2, 5.6)], radius: 0.7),
            ])
        case .back: .mirrored(Icon.forward.shape)
        case .forward:
            .union([
                Self.triangle(at: SIMD2(3.2, 12), width: 8, height: 10),
                Self.triangle(at: SIMD2(12.2, 12), width: 8, height: 10),
            ])
        case .volumeHigh:
            .union([
                Self.speaker, Self.wave(radius: 4.2), Self.wave(radius: 7.6),
            ])
        case .volumeLow: .union([Self.speaker, Self.wave(radius: 4.2)])
        case .volumeMuted:
            .union([
                Self.speaker,
                .line(SIMD2(15.6, 9.2), SIMD2(21.2, 14.8), width: 1.8),
                .line(SIMD2(21.2, 9.2), SIMD2(15.6, 14.8), width: 1.8),
            ])
        case .audio:
            .union([
                Self.bar(4, height: 3), Self.bar(8, height: 9), Self.bar(12, height: 16),
                Self.bar(16, height: 7), Self.bar(20, height: 3),
            ])
        case .subtitles: Self.captions
        case .chapters:
            .union([Self.entry(6), Self.entry(12), Self.entry(18)])
        case .fullscreen: Self.corners { $0 }
        case .leaveFullscreen: Self.corners { SIMD2(12.6 - $0.x, 12.6 - $0.y) }
        case .check:
            .union([
                .line(SIMD2(5, 12.5), SIMD2(10, 17.5), width: 2.2),
                .line(SIMD2(10, 17.5), SIMD2(19.5, 7), width: 2.2),
            ])
        case .folded: Self.triangle(at: SIMD2(8, 12), width: 10, height: 14)
        case .unfolded:
            .polygon([SIMD2(6, 9), SIMD2(18, 9), SIMD2(12, 16)], radius: 1)
        case .note:
            .union([
                .moved(.circle(SIMD2(0, 0), radius: 3), by: SIMD2(7, 18)),
                .moved(.circle(SIMD2(0, 0), radius: 3), by: SIMD2(17, 16)),
                .line(SIMD2(9.2, 17.8), SIMD2(9.2, 5.6), width: 1.6),
                .line(SIMD2(19.2, 15.8), SIMD2(19.2, 3.6), width: 1.6),
                .polygon(
                    [SIMD2(9.2, 5.4), SIMD2(19.2, 3.4), SIMD2(19.2, 6.4), SIMD2(9.2, 8.4)],
                    radius: 0.8),
            ])
        }
    }

    private static func bar(_ x: Double, height: Double) -> IconShape {
        .line(SIMD2(x, 12 - height / 2), SIMD2(x, 12 + height / 2), width: 2)
    }

    /// A line of the list icon.
    private static func entry(_ y: Double) -> IconShape {
        .union([
            .circle(SIMD2(4.6, y), radius: 1.3), .line(SIMD2(9, y), SIMD2(20, y), width: 1.9),
        ])
    }

    /// A triangle that points to the right. Its rounded corners lie within the bounds.
    private static func triangle(
        at left: SIMD2<Double>, width: Double, height: Double
    ) -> IconShape {
        let radius = 1.0
        return .polygon(
            [
                left + SIMD2(radius, radius - height / 2),
                left + SIMD2(width - radius, 0),
                left + SIMD2(radius, height / 2 - radius),
            ], radius: radius)
    }

    private static let speaker = IconShape.polygon(
        [
            SIMD2(3.2, 9.8), SIMD2(6.4, 9.8), SIMD2(10.6, 6), SIMD2(10.6, 18), SIMD2(6.4, 14.2),
            SIMD2(3.2, 14.2),
        ], radius: 0.9)

    private static func wave(radius: Double) -> IconShape {
        .arc(SIMD2(12.2, 12), radius: radius, width: 1.8, from: -48, to: 48)
    }

    /// A speech bubble with two lines of text.
    private static let captions = IconShape.union([
        .outline(
            .rectangle(SIMD2(12, 12), size: SIMD2(18.4, 14), radius: 3), width: 1.8),
        .line(SIMD2(6.8, 11.4), SIMD2(12, 11.4), width: 1.7),
        .line(SIMD2(15, 11.4), SIMD2(17.2, 11.4), width: 1.7),
        .line(SIMD2(6.8, 15), SIMD2(9, 15), width: 1.7),
        .line(SIMD2(12, 15), SIMD2(17.2, 15), width: 1.7),
    ])

    /// Four corners of a rectangle. `place` maps their points, and can mirror them.
    private static func corners(_ place: (SIMD2<Double>) -> SIMD2<Double>) -> IconShape {
        let points = [SIMD2(9.2, 4.2), SIMD2(4.2, 4.2), SIMD2(4.2, 9.2)].map(place)
        let corner = IconShape.union([
            .line(points[0], points[1], width: 2), .line(points[1], points[2], width: 2),
        ])
        let left = IconShape.union([corner, flipped(points)])
        return .union([left, .mirrored(left)])
    }

    private static func flipped(_ points: [SIMD2<Double>]) -> IconShape {
        let low = points.map { SIMD2($0.x, 24 - $0.y) }
        return .union([.line(low[0], low[1], width: 2), .line(low[1], low[2], width: 2)])
    }
}
