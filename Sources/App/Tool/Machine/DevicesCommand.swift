// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadCapture
import PlayheadScreens
import PlayheadUI

/// `playhead devices`: lists cameras, screens, windows, microphones and audio devices.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract:
            "List cameras, screens and microphones for 'play', and outputs for --audio-device.")

    func run() throws {
        let cameras = CaptureDiscoverySession.cameras.devices
        for (index, camera) in cameras.enumerated() { list(camera, "camera:\(index)") }
        for (index, screen) in CaptureDiscoverySession.screens.devices.enumerated() {
            list(screen, "screen:\(index)")
        }
        for (index, window) in CaptureDiscoverySession.windows.devices.enumerated() {
            list(window, "window:\(index)")
        }
        for (index, microphone) in CaptureDiscoverySession.microphones.devices.enumerated() {
            list(microphone, "microphone:\(index)")
        }
        do throws(AudioError) {
            let devices = try PulseAudioDevice.all()
            guard !devices.isEmpty else {
                throw AudioError(
                    .noDevice, subject: "PulseAudio", cause: "no audio device")
            }
            for device in devices {
                Console.print("\(device.name)\(device.isDefault ? " (default)" : "")")
                Console.print(
                    "    \(device.title), \(device.sampleRate) Hz, \(device.channelCount) channels")
            }
        } catch {
            guard !cameras.isEmpty else { throw ToolError(.mediaFailure, "\(error)") }
            Console.note("\(error)")
        }
    }

    private func list(_ device: CaptureDevice, _ address: String) {
        Console.print("\(address)  \(device.localizedName)")
        Console.print("    \(device.uniqueID)")
        do throws(CaptureError) {
            for format in try device.loadFormats() {
                Console.print("    \(format)")
            }
            for control in try device.loadControls() {
                Console.print(
                    "    \(control.name) \(control.value) (\(control.valuesText))"
                        + (control.isSettable ? "" : ", not settable now"))
            }
        } catch {
            Console.print("    \(error.cause); \(error.remedy)")
        }
    }
}
