// SPDX-License-Identifier: Apache-2.0

package import PlayheadPlayback

/// A source of devices.
///
/// - Concurrency: any thread.
package protocol CaptureDeviceProvider: AnyObject, Sendable {
    /// Returns the devices that are there, in a stable order. The same device is the same object.
    func loadDevices() -> [CaptureDevice]

    /// Calls a handler after devices have come or gone, on a thread of the provider.
    func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken
}
