// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// The background behind the video: a sky, a video or image that the user names, a checkerboard, or
/// black.
@MainActor struct Backdrop {
    private enum Kind: CaseIterable {
        case named, dusk, day, checkerboard, black
    }

    private let sky: EffectInstance
    private let day: EffectInstance
    private let checkerboard: EffectInstance
    private var source: (content: Layer.Content, keeper: Any?)?
    private var kind: Kind
    private(set) var name: String

    /// Creates a backdrop.
    ///
    /// - Parameter path: the path of a video or an image; nil for none.
    init(named path: String?, on stage: Stage) throws {
        sky = EffectInstance(try EffectLibrary.load("gradient"))
        day = EffectInstance(try EffectLibrary.load("gradient"))
        try day.set(.color([0.25, 0.55, 0.92, 1]), for: "first")
        try day.set(.color([0.93, 0.97, 1.0, 1]), for: "second")
        checkerboard = EffectInstance(try EffectLibrary.load("checkerboard"))
        (kind, name) = (.dusk, "dusk")
        guard let path else { return }
        (kind, name) = (.named, path.split(separator: "/").last.map { String($0) } ?? path)
        let player = QueuePlayer(audioSink: nil, masterClock: stage.clock)
        let item = PlayerItem(asset: URLAsset(path))
        if let still = try? ImageFile.read(path), Self.isStill(path) {
            source = (.image(still), nil)
            return
        }
        let looper = PlayerLooper(player: player, templateItem: item)
        source = (.video(PlayerVideoOutput(player: player)), (player, looper))
        stage.register(player)
        player.play()
    }

    private static func isStill(_ path: String) -> Bool {
        let endings = ["png", "jpg", "jpeg", "webp", "bmp", "tiff", "avif"]
        return endings.contains { path.lowercased().hasSuffix(".\($0)") }
    }

    /// Shows the next background, and returns its name.
    mutating func next() -> String {
        let all = Kind.allCases.filter { $0 != .named || source != nil }
        let index = all.firstIndex(of: kind) ?? 0
        kind = all[(index + 1) % all.count]
        name = kind == .named ? "your own" : "\(kind)"
        return name
    }

    func layers(in rect: LayerRect) -> [Layer] {
        let content: Layer.Content =
            switch kind {
            case .named: source?.content ?? .none
            case .dusk: .generator(sky)
            case .day: .generator(day)
            case .checkerboard: .generator(checkerboard)
            case .black: .color([0, 0, 0, 1])
            }
        return [Layer(content, frame: .pixels(rect), gravity: .resizeAspectFill)]
    }
}
