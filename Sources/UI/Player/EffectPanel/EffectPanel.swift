// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
public import PlayheadLayers

/// A panel beside a video. It shows the inputs of effects as sliders, numbers, menus, colours and
/// points, and also the time that each pass takes, errors in the effects' files, and the values of
/// a pixel. Above the effects, it shows the controls of a camera.
///
/// The panel is made of layers, so any renderer can draw it with the video. (Dear ImGui, which
/// shader tools often use, would add a C++ library and a second drawing path with its own OpenGL
/// state.)
///
/// - Concurrency: the main actor.
@MainActor public final class EffectPanel {
    /// The effects, in the order in which they are applied.
    public var effects: [EffectInstance] { didSet { failures = [:] } }
    /// The values that are shown above the effects; nil for none.
    package var settings: (any PanelSettings)?
    /// A Boolean value that indicates whether the panel is visible. The default is false.
    public var isVisible = false {
        didSet {
            if !isVisible { (state.picking, drag, focus, edit) = (nil, nil, nil, nil) }
            visibilityHandler(isVisible)
        }
    }
    /// The handler that receives the values as command-line options, to put them on the clipboard.
    public var copyHandler: @MainActor (String) -> Void = { _ in }
    /// The handler that is called after every change. If the video is paused, the handler should
    /// draw it again.
    public var changeHandler: @MainActor () -> Void = {}
    /// The handler that is called when the panel appears and when it disappears. The times of
    /// passes are measured only while the panel is visible.
    package var visibilityHandler: @MainActor (Bool) -> Void = { _ in }
    /// Converts a point of the window to a position in the video, where (0, 0) is the video's upper
    /// left corner and (1, 1) its lower right corner. Returns nil if the video fills the window.
    package var picturePlace: @MainActor (SIMD2<Double>) -> SIMD2<Double>? = { _ in nil }
    /// Returns whether something, such as the controls, covers the video at a point of the window.
    /// The panel ignores clicks on the video there.
    package var isCovered: @MainActor (SIMD2<Double>) -> Bool = { _ in false }

    var state = EffectPanelRow.State()
    /// The errors in the newest versions of the effects' files, by the index of the effect.
    var failures: [Int: String] = [:]
    /// The position of the divider between the original and the result, as a fraction of the
    /// window's width.
    var splitPlace = 0.5
    var scale = 1.0
    var size = (width: 0, height: 0)
    /// The upper edge of the elements at the lower edge of the window, in pixels.
    var bottom = 0.0
    /// The number of monospaced characters that fit into a row.
    var columns = 43
    var scroll = ScrollState()
    var drag: Drag?
    /// The row on which keys act; nil if the panel does not handle keys.
    var focus: Focus?
    /// The number that is being typed, and its row.
    var edit: (focus: Focus, field: NumberField)?
    /// A Boolean value that indicates whether the button that is held down was pressed on the
    /// panel. If so, the panel also handles its release.
    var hasPress = false
    /// The colour input that will be set to the colour of a pixel of the next frame.
    var awaitedColor: EffectPanelRow.State.Place?
    /// The most recent layout and the values for which it was made.
    var laidOut: (items: [FormLayout.Item], width: Double, scale: Double, form: FormLayout)?

    /// The object that a drag moves.
    enum Drag: Equatable {
        /// A slider for an input, or for a channel of a colour input.
        case slider(EffectPanelRow)
        /// A point of the video.
        case point(EffectPanelRow.State.Place)
        /// The divider between the original and the result.
        case split
    }

    /// Creates a panel for effects.
    public init(effects: [EffectInstance]) { self.effects = effects }

    /// Shows the error in the newest version of an effect's file, until it is set to nil. The error
    /// is visible even if the panel is hidden.
    package func show(_ error: EffectError?, of instance: EffectInstance) {
        guard let index = effects.firstIndex(where: { $0 === instance }) else { return }
        failures[index] = error?.excerpt
        changeHandler()
    }

    /// Shows the error in the newest version of the preset's file, until it is set to nil.
    package func showPresetError(_ error: EffectError?) {
        failures[Self.preset] = error?.excerpt
        changeHandler()
    }

    /// The index under which the preset's error is stored. It precedes the indices of the effects.
    nonisolated static let preset = -1

    /// The index that stands for `settings` in rows, in place of an effect's index.
    nonisolated static let settingsIndex = -2

    /// A Boolean value that indicates whether the panel has nothing to show.
    var isEmpty: Bool { effects.isEmpty && (settings?.settings.isEmpty ?? true) }

    /// A Boolean value that indicates whether Escape has an effect: it ends picking, typing, or the
    /// focus of a row.
    package var isEscapable: Bool { isVisible && (state.picking != nil || focus != nil) }

    /// Returns the layers of the video. If the original is compared with the result, there are two.
    public func layers(for film: Layer) -> [Layer] {
        guard isVisible, state.isSplit else { return [film] }
        var before = film
        before.effects = []
        return [
            // The parts divide the window and not the video, so the video's frame and rotation do
            // not matter.
            part(of: before, LayerRect(x: 0, y: 0, width: splitPlace, height: 1)),
            part(of: film, LayerRect(x: splitPlace, y: 0, width: 1 - splitPlace, height: 1)),
        ]
    }

    /// Returns the part of a layer that lies in a rectangle. The rectangle is in fractions of the
    /// window.
    private func part(of layer: Layer, _ rect: LayerRect) -> Layer {
        var group = Layer(sublayers: [layer])
        group.mask = .roundedRectangle(rect, cornerRadius: 0)
        return group
    }

    /// The settings as an argument, and the effects and their values as options, for a command
    /// line.
    package var commandLine: String {
        let argument = settings?.argument ?? ""
        let options = effects.flatMap { instance -> [String] in
            let effect = instance.effect
            return ["--effect \(Self.quoted(Self.argument(of: effect)))"]
                + instance.assignments.map { "--set \(Self.quoted("\(effect.name).\($0)"))" }
        }
        return ((argument.isEmpty ? [] : [Self.quoted(argument)]) + options)
            .joined(separator: " ")
    }

    private static func argument(of effect: Effect) -> String {
        effect.path == effect.name + ".fs" && EffectLibrary.builtInNames.contains(effect.name)
            ? effect.name : effect.path
    }

    /// Quotes a word for shells if necessary.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x61 && $0 <= 0x7A)
                || "_-+=.,/:@%".utf8.contains($0)
        }
        return isPlain && !word.isEmpty
            ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
