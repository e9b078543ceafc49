// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
public import PlayheadEffects
public import PlayheadLayers
import PlayheadText
import PlayheadTime

/// The inputs of effects, to be changed by pointer or keys while a film plays: sliders, menus, colours and
/// points, with what each pass costs, what is wrong, and what a pixel is on its way.
///
/// It is made of layers, so it is drawn with the film, by any renderer, in any host's window. (Dear
/// ImGui, which most shader tools take, would bring a second way of drawing, its own OpenGL state and a
/// C++ library for what are four kinds of controls.)
///
/// - Concurrency: the main actor.
@MainActor public final class EffectPanel {
    /// In the order in which they are applied.
    public var effects: [EffectInstance] { didSet { failures = [:] } }
    /// Whether it is shown; false at first.
    public var isVisible = false {
        didSet {
            if !isVisible { (state.picking, drag, focus) = (nil, nil, nil) }
            visibilityHandler(isVisible)
        }
    }
    /// Called with `--set` and all that was changed, to be put where other programs find it.
    public var copyHandler: @MainActor (String) -> Void = { _ in }
    /// Called after every change of what is shown: a film that stands still has to be drawn anew.
    public var changeHandler: @MainActor () -> Void = {}
    /// Called when it appears and goes: passes need not be measured while nobody looks.
    public var visibilityHandler: @MainActor (Bool) -> Void = { _ in }
    /// Where in the film's picture a point of the window lies, in fractions of the picture from its upper
    /// left corner; nil where the picture fills the window.
    package var picturePlace: @MainActor (SIMD2<Double>) -> SIMD2<Double>? = { _ in nil }
    /// Whether something lies over the picture at a point of the window, such as controls: what is done
    /// there is not done to the picture.
    package var isCovered: @MainActor (SIMD2<Double>) -> Bool = { _ in false }

    var state = EffectPanelRow.State()
    /// What is wrong with the newest state of an effect's file.
    var failures: [Int: String] = [:]
    /// Where the part with effects begins, in fractions of the window's width.
    var splitPlace = 0.5
    var scale = 1.0
    var size = (width: 0, height: 0)
    var scrolled = 0.0
    var drag: Drag?
    /// The line that keys act on; nil where they are somebody else's.
    var focus: Focus?
    /// Whether the button that is down was pressed on the panel or with it: then its release is, too.
    var hasPress = false
    /// The colour that is set to what is read in the next frame.
    var awaitedColor: EffectPanelRow.State.Place?
    /// Made when there is something to write: it looks for fonts.
    lazy var rasterizer = try? TextRasterizer()
    var texts: [TextKey: PixelBuffer] = [:]

    /// What the pressed button moves.
    enum Drag: Equatable {
        /// A slider, of an input or of a channel of its colour.
        case slider(EffectPanelRow)
        /// A point of the picture.
        case point(EffectPanelRow.State.Place)
        /// The line between before and after.
        case split
    }

    struct TextKey: Hashable {
        var text: String
        var style: TextStyle
    }

    public init(effects: [EffectInstance]) { self.effects = effects }

    /// Tells what is wrong with the newest state of an effect's file; nil when nothing is any more. It
    /// stays on the screen until then, whether or not the panel is seen.
    package func show(_ error: EffectError?, of instance: EffectInstance) {
        guard let index = effects.firstIndex(where: { $0 === instance }) else { return }
        failures[index] = error?.excerpt
        changeHandler()
    }

    /// Tells what is wrong with the newest state of the file that has the effects' values, as long as it is; nil when
    /// nothing is any more.
    package func showPresetError(_ error: EffectError?) {
        failures[Self.preset] = error?.excerpt
        changeHandler()
    }

    /// What a preset's failure goes by, before those of effects.
    nonisolated static let preset = -1

    /// Whether a place or a colour of the picture is being picked, or keys are at a line, which Escape ends.
    package var isEscapable: Bool { isVisible && (state.picking != nil || focus != nil) }

    /// The lines as they are now.
    var rows: [EffectPanelRow] {
        EffectPanelRow.rows(for: effects, state, failures: failures)
    }

    /// The film as it is seen: where before and after are compared, it is there twice.
    public func layers(for film: Layer) -> [Layer] {
        guard isVisible, state.isSplit else { return [film] }
        var before = film
        before.effects = []
        return [
            // Parts of the window, whatever the film's own place and turn in it.
            part(of: before, LayerRect(x: 0, y: 0, width: splitPlace, height: 1)),
            part(of: film, LayerRect(x: splitPlace, y: 0, width: 1 - splitPlace, height: 1)),
        ]
    }

    /// What of a layer lies in a part of the window, in fractions of it.
    private func part(of layer: Layer, _ rect: LayerRect) -> Layer {
        var group = Layer(sublayers: [layer])
        group.mask = .roundedRectangle(rect, cornerRadius: 0)
        return group
    }

    /// What is set, as a command line would have it.
    package var commandLine: String {
        effects.flatMap { instance -> [String] in
            let effect = instance.effect
            return ["--effect \(Self.quoted(Self.argument(of: effect)))"]
                + instance.assignments.map { "--set \(Self.quoted("\(effect.name).\($0)"))" }
        }.joined(separator: " ")
    }

    private static func argument(of effect: Effect) -> String {
        effect.path == effect.name + ".fs" && EffectLibrary.builtInNames.contains(effect.name)
            ? effect.name : effect.path
    }

    /// A word as shells take it.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x61 && $0 <= 0x7A)
                || "_-+=.,/:@%".utf8.contains($0)
        }
        return isPlain && !word.isEmpty
            ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
