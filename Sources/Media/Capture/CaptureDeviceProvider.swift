// SPDX-License-Identifier: Apache-2.0

package import PlayheadPlayback

/// A source of devices.
///
/// - Concurrency: any thread.
package protocol CaptureDeviceProvider: AnyObject, Sendable {
    /// Returns the connected devices, in a stable order. Each device is always represented by the
    /// same object.
    func loadDevices() -> [CaptureDevice]

    /// Calls a handler, on a thread of the provider, after devices were connected or disconnected.
    func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken
}
