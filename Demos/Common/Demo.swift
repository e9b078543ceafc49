// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// A demo. It provides a scene for the current time, and responds to keys and the pointer.
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
/// The stage requests the scene 60 times a second, and draws it in a window or, with `--headless`,
/// to an image. Positions and sizes are in points from the top left corner. A point is a pixel,
/// except on a scaled desktop.
@MainActor public protocol Demo: AnyObject {
    static var title: String { get }
    /// The initial size of the window, in points.
    static var size: WindowSize { get }

    init(stage: Stage) throws
    /// A Boolean value that indicates whether the first frame can be drawn. It is false while
    /// thumbnails are made, for instance.
    var isReady: Bool { get }
    /// Returns the current scene.
    func scene() -> Scene
    /// Handles an event of the window. Its positions are in points.
    func handle(_ event: WindowEvent)
}

extension Demo {
    public static var size: WindowSize { WindowSize(width: 960, height: 540) }
    public var isReady: Bool { true }
    public func handle(_ event: WindowEvent) {}

    /// Runs the demo until its window is closed or its image has been written.
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
