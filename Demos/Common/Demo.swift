// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// A demo: what it shows at any moment, and what keys and pointer do to it.
///
///     @main final class Still: Demo {
///         static let title = "Still"
///         private let stage: Stage
///
///         init(stage: Stage) { self.stage = stage }
///
///         func scene() -> Scene { Scene(layers: [stage.text("Hello", size: 40, at: [20, 20])]) }
///     }
///
/// The stage asks for the scene 60 times a second and draws it in a window, or into a picture
/// (`--headless`). Places and sizes are in points from the top left: pixels, but on desktops that
/// scale.
@MainActor public protocol Demo: AnyObject {
    static var title: String { get }
    /// Of the window when it opens, in points.
    static var size: WindowSize { get }

    init(stage: Stage) throws
    /// Whether the first frame can be drawn: not while thumbnails are made, for instance.
    var isReady: Bool { get }
    /// What is seen now.
    func scene() -> Scene
    /// Hears of what happens to the window; positions are in points.
    func handle(_ event: WindowEvent)
}

extension Demo {
    public static var size: WindowSize { WindowSize(width: 960, height: 540) }
    public var isReady: Bool { true }
    public func handle(_ event: WindowEvent) {}

    /// Runs the demo until its window is closed, or its picture is written.
    public static func main() {
        let options = DemoOptions.ofProcess()
        do {
            let stage = Stage(options: options, title: title, size: size)
            if options.isHeadless {
                try stage.draw(try Self(stage: stage))
            } else {
                try stage.openWindow()
                try stage.perform(try Self(stage: stage))
            }
        } catch {
            DemoOptions.fail(error)
        }
    }
}
