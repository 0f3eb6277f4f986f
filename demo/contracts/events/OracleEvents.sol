// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the price oracle emits, in the three shapes that PPSValidated has had.
interface OracleEvents {
    event PPSValidated(address indexed strategy, uint256 pps, uint256 timestamp, address indexed sender);
    event PPSValidated(address indexed strategy, uint256 pps, uint256 ppsStdev, uint256 timestamp, address indexed sender);
    event PPSValidated(address indexed strategy, uint256 pps, uint256 ppsStdev, uint256 validatorSet, uint256 totalValidators, uint256 timestamp, address indexed sender);
    event ProofValidationFailed(address indexed strategy, string reason);
    event ProofValidationFailedLowLevel(address indexed strategy, bytes data);
    event BatchForwardPPSFailed(string reason);
    event BatchForwardPPSFailedLowLevel(bytes lowLevelData);
}
